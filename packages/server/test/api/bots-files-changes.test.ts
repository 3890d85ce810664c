// POST /bots/:id/files/mkdir, move, copy, compress and extract
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FileListData } from '@botel/contract/files';
import { makeTar, makeTarGz, makeZip } from '../support/archive-maker.ts';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { type Answer, assertRefused, botNotFound, invalidInput, type Refusal, send, unauthorized } from './request.ts';

const verbs = ['mkdir', 'move', 'copy', 'compress', 'extract'] as const;
type Verb = (typeof verbs)[number];

/** Bodies that are right in every field. */
const goodBodies: Record<Verb, Record<string, unknown>> = {
  mkdir: { path: 'new' },
  move: { from: 'base/file', to: 'new' },
  copy: { from: 'base/file', to: 'new' },
  compress: { paths: ['base/file'], to: 'new.zip' },
  extract: { path: 'base/packed.zip', to: 'new' },
};
const fileNotFound: Refusal = { status: 404, code: 'file_not_found', error: 'File not found' };
const taken = (path: string): Refusal => ({ status: 409, code: 'already_exists', error: `"${path}" already exists` });

let fixture: Fixture;
let id: string;

before(async () => {
  fixture = await startFixture();
  id = (await fixture.client.createBot(goodBot)).id;
  await fixture.client.writeFile(id, 'base/file', 'content');
  await fixture.client.writeFile(id, 'base/inner/other', 'other');
  const zip = makeZip([
    { name: 'a', content: '1' },
    { name: 'b/c', content: '22' },
  ]);
  await fixture.client.writeFile(id, 'base/packed.zip', new Uint8Array(zip));
});

after(() => fixture[Symbol.asyncDispose]());

function change(verb: Verb, body: unknown, client = fixture.client): Promise<Answer<{ count: number }>> {
  return send(client, `POST /bots/${id}/files/${verb}`, body);
}

async function done(verb: Verb, body: unknown): Promise<number> {
  const { status, body: answer } = await change(verb, body);
  assert.deepEqual([status, Object.keys(answer)], [200, ['success', 'data']], JSON.stringify(answer));
  assert.deepEqual(Object.keys(answer.data), ['count']);
  return answer.data.count;
}

async function contentOf(path: string): Promise<string> {
  return (await fixture.client.fetch('GET', `/bots/${id}/files/content?path=${encodeURIComponent(path)}`)).text();
}

async function names(path: string): Promise<string[]> {
  const { data } = await fixture.client.call<FileListData>('GET', `/bots/${id}/files?path=${encodeURIComponent(path)}`);
  return data.entries.map((entry) => entry.name);
}

describe('200', () => {
  test('mkdir makes a folder and those above it', async () => {
    assert.equal(await done('mkdir', { path: 'made/deep/é' }), 1);
    assert.deepEqual([await names('made/deep'), await names('made/deep/é')], [['é'], []]);
  });

  test('move takes a file, and a folder with all in it, elsewhere', async () => {
    await fixture.client.writeFile(id, 'm/one', '1');
    assert.equal(await done('move', { from: 'm/one', to: 'm/deep/two' }), 1);
    assert.equal(await done('move', { from: 'm', to: 'moved/m' }), 1);
    assert.equal(await contentOf('moved/m/deep/two'), '1');
    assert.ok(!(await names('')).includes('m'));
  });

  test('copy makes a second one of a file and of a folder', async () => {
    assert.equal(await done('copy', { from: 'base/file', to: 'copied/file' }), 1);
    assert.equal(await done('copy', { from: 'base', to: 'copied/base' }), 3);
    assert.deepEqual(await names('copied/base'), ['file', 'inner', 'packed.zip']);
    assert.equal(await contentOf('copied/base/inner/other'), 'other');
    assert.equal(await contentOf('base/inner/other'), 'other');
  });

  test('compress makes an archive of the kind that its name says, extract unpacks it', async () => {
    for (const to of ['packed/all.zip', 'packed/all.tar.gz', 'packed/all.tgz']) {
      assert.equal(await done('compress', { paths: ['base/file', 'base/inner'], to }), 2);
      assert.equal(await done('extract', { path: to, to: `${to}.d` }), 2);
      assert.equal(await contentOf(`${to}.d/inner/other`), 'other');
    }
  });

  test('extract puts all that is in an archive into a folder, over what is there', async () => {
    assert.equal(await done('extract', { path: 'base/packed.zip', to: 'unpacked' }), 2);
    assert.equal(await done('extract', { path: 'base/packed.zip', to: 'unpacked', overwrite: true }), 2);
    assert.deepEqual([await contentOf('unpacked/a'), await contentOf('unpacked/b/c')], ['1', '22']);
    for (const [name, archive] of [
      ['x.tar', makeTar([{ name: 'home-of-tar' }])],
      ['x.tar.gz', makeTarGz([{ name: 'home-of-tar-gz' }])],
    ] as const) {
      await fixture.client.writeFile(id, name, new Uint8Array(archive));
      assert.equal(await done('extract', { path: name }), 1);
    }
    const home = await names('');
    assert.ok(home.includes('home-of-tar') && home.includes('home-of-tar-gz'));
  });

  test('each is a change that a running bot has not seen yet', async () => {
    const running = (await fixture.client.createBot({ ...goodBot, memory: 128, startup_command: 'graceful' })).id;
    await fixture.client.writeFile(running, 'base/file', 'x');
    await fixture.client.lifecycle('start', running);
    await until(async () => (await fixture.client.bot(running)).status === 'online');
    assert.equal((await fixture.client.bot(running)).needs_restart, false);
    await fixture.client.call('POST', `/bots/${running}/files/move`, { from: 'base', to: 'new' });
    assert.equal((await fixture.client.bot(running)).needs_restart, true);
    await fixture.client.deleteBot(running, true);
  });
});

describe('400', () => {
  test('fields that are missing or of the wrong kind', async () => {
    for (const verb of verbs) {
      for (const field of Object.keys(goodBodies[verb])) {
        if (verb === 'extract' && field === 'to') continue;
        const kind = field === 'paths' ? 'a list' : 'a string';
        const { [field]: _, ...rest } = goodBodies[verb];
        assertRefused(await change(verb, rest), invalidInput(field, 'is required'), `${verb} ${field}`);
        assertRefused(await change(verb, { ...rest, [field]: 7 }), invalidInput(field, `must be ${kind}`));
      }
    }
    assertRefused(
      await change('compress', { paths: [], to: 'a.zip' }),
      invalidInput('paths', 'must hold between 1 and 1000 paths'),
    );
    assertRefused(
      await change('extract', { ...goodBodies.extract, overwrite: 'yes' }),
      invalidInput('overwrite', 'must be true or false'),
    );
  });

  test('paths that leave the home', async () => {
    for (const path of [
      '',
      '..',
      '../x',
      'a/../b',
      '/etc/passwd',
      'a//b',
      'a/',
      '.',
      'a\0b',
      '\uFFFD',
      'x'.repeat(256),
    ]) {
      for (const verb of verbs) {
        for (const field of Object.keys(goodBodies[verb])) {
          if (verb === 'extract' && field === 'to' && path === '') continue;
          const body = { ...goodBodies[verb], [field]: field === 'paths' ? ['base/file', path] : path };
          const at = field === 'paths' ? 'paths[1]' : field;
          assertRefused(await change(verb, body), invalidInput(at, 'is not valid'), `${verb} ${field} ${path}`);
        }
      }
    }
  });

  test('what can not be done', async () => {
    const inside = invalidInput('to', 'must not be inside of what is moved');
    assertRefused(await change('move', { from: 'base', to: 'base/inner/base' }), inside);
    const noArchive = invalidInput('to', 'must end in .zip, .tar.gz or .tgz');
    assertRefused(await change('compress', { paths: ['base'], to: 'a.rar' }), noArchive);
    const unknown = invalidInput('path', 'must end in .zip, .tar, .tar.gz or .tgz');
    assertRefused(await change('extract', { path: 'base/file', to: 'x' }), unknown);
    assertRefused(await change('extract', { path: 'base', to: 'x' }), unknown);
    const throughFile = invalidInput('to', 'is not valid');
    assertRefused(await change('copy', { from: 'base', to: 'base/file/x' }), throughFile);
  });

  test('archives that break the rules change nothing', async () => {
    for (const [name, archive, fault] of [
      ['bad.zip', makeZip([{ name: 'first' }, { name: '../x' }]), 'holds a name that is not valid'],
      ['bad.tar', makeTar([{ name: 'first' }, { name: 'd', type: '3' }]), 'holds a device, pipe or socket'],
      [
        'bad.tar.gz',
        makeTarGz([{ name: 'first' }, { name: 'l', type: '2', target: '/etc' }]),
        'holds a link that leads out of the folder',
      ],
      ['none.zip', Buffer.from('none'), 'is damaged or not of the given type'],
    ] as const) {
      await fixture.client.writeFile(id, name, new Uint8Array(archive));
      assertRefused(await change('extract', { path: name, to: 'bad' }), invalidInput('archive', fault));
    }
    assert.ok(!(await names('')).includes('bad'));
    assert.deepEqual(readdirSync(join(fixture.directory, 'staging')), []);
  });
});

test('401: without a token', async () => {
  for (const verb of verbs) assertRefused(await change(verb, goodBodies[verb], fixture.guest), unauthorized);
});

test('403: a bot whose disk is full takes no more, but may be tidied up', async () => {
  const full = await startFixture();
  try {
    const { client } = full;
    const bot = (await client.createBot(goodBot)).id;
    await client.writeFile(bot, 'base/file', new Uint8Array(700 * 1024));
    await client.writeFile(
      bot,
      'base/packed.zip',
      new Uint8Array(makeZip([{ name: 'a', content: Buffer.alloc(700_000) }])),
    );
    const allow = (disk_mb: number) => inDatabase(full, (db) => db.updateTable('plans').set({ disk_mb }).execute());
    await allow(1);
    const refusal: Refusal = { status: 403, code: 'disk_limit', error: 'Disk limit reached: 1MB of 1MB' };
    for (const verb of ['copy', 'extract'] as const) {
      assertRefused(await send(client, `POST /bots/${bot}/files/${verb}`, goodBodies[verb]), refusal, verb);
    }
    await allow(10);
    await client.writeFile(bot, 'base/more', new Uint8Array(400 * 1024));
    await allow(1);
    const isFull = { ...refusal, error: 'Disk limit reached: 2MB of 1MB' };
    for (const verb of ['mkdir', 'copy', 'compress', 'extract'] as const) {
      assertRefused(await send(client, `POST /bots/${bot}/files/${verb}`, goodBodies[verb]), isFull, verb);
    }
    const put = `PUT /bots/${bot}/files/content?path=a`;
    assertRefused(await send(client, put, 'x', { 'Content-Type': 'application/octet-stream' }), isFull);
    await client.call('POST', `/bots/${bot}/files/move`, goodBodies.move);
    await client.call('POST', `/bots/${bot}/files/delete`, { paths: ['new', 'base/more'] });
    await client.call('POST', `/bots/${bot}/files/mkdir`, goodBodies.mkdir);
  } finally {
    await full[Symbol.asyncDispose]();
  }
});

test('404: what is not there, and bots of others', async () => {
  for (const from of ['missing', 'base/missing', 'missing/x']) {
    assertRefused(await change('move', { from, to: 'new' }), fileNotFound);
    assertRefused(await change('copy', { from, to: 'new' }), fileNotFound);
    assertRefused(await change('compress', { paths: ['base', from], to: 'new.zip' }), fileNotFound);
    assertRefused(await change('extract', { path: `${from}.zip`, to: 'new' }), fileNotFound);
  }
  for (const verb of verbs) {
    assertRefused(await change(verb, goodBodies[verb], fixture.stranger), botNotFound);
    assertRefused(await send(fixture.client, `POST /bots/no-uuid/files/${verb}`, goodBodies[verb]), botNotFound);
  }
  assert.ok(!(await names('')).includes('new'));
});

test('409: where something is already', async () => {
  for (const path of ['base', 'base/file']) {
    assertRefused(await change('mkdir', { path }), taken(path));
    for (const verb of ['move', 'copy'] as const)
      assertRefused(await change(verb, { from: 'base/inner/other', to: path }), taken(path));
  }
  assertRefused(await change('compress', { paths: ['base/file'], to: 'base/packed.zip' }), taken('base/packed.zip'));
  await fixture.client.writeFile(id, 'occupied/a', 'mine');
  const extract = { path: 'base/packed.zip', to: 'occupied', overwrite: false };
  assertRefused(await change('extract', extract), taken('occupied/a'));
  assert.deepEqual([await names('occupied'), await contentOf('occupied/a')], [['a'], 'mine']);
});
