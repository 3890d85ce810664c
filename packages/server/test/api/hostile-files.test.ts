// What owners make of their own files to keep the server at work or fill its disk: holes, hard
// links, archives that declare terabytes. Work on them has a budget, and ends with its client, its
// bot and the server.
import assert from 'node:assert/strict';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BackupData } from '@botel/contract/backups';
import { makeTar } from '../support/archive-maker.ts';
import { openFileCount, untilOpenFiles } from '../support/files-fixture.ts';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { assertRefused, invalidInput, send } from './request.ts';

const mebibyte = 1024 * 1024;
const terabyte = 1024 ** 4;
const diskMb = 32;
const overBackup = invalidInput('files', 'holds more than 51 MB, counting holes');
const overWork = (field: string) => invalidInput(field, 'holds more than 128 MB, counting holes');

let fixture: Fixture;

before(async () => {
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
  await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: diskMb }).execute());
});

after(() => fixture[Symbol.asyncDispose]());

/** A bot with a home, and the path of that. */
async function makeBot(): Promise<{ id: string; home: string }> {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128 });
  await fixture.client.writeFile(id, 'index.js', 'console.log(1)');
  return { id, home: join(fixture.directory, 'homes', id) };
}

/** Creates a file that is nothing but a hole. */
function makeHole(path: string, bytes: number): void {
  closeSync(openSync(path, 'w'));
  truncateSync(path, bytes);
}

/** A tar file whose only entry is as long as a hole. */
function makeSparseTar(path: string, type: string): void {
  const head = makeTar([{ name: 'hole', type }]).subarray(0, 512);
  // Base 256, as for sizes beyond eight GB.
  head.fill(0, 124, 136).writeUInt8(0x80, 124);
  head.writeBigUInt64BE(BigInt(8 * terabyte), 128);
  head.fill(0x20, 148, 156);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const file = openSync(path, 'w');
  writeSync(file, head);
  closeSync(file);
  truncateSync(path, 512 + 8 * terabyte);
}

const isEmpty = (folder: string) => readdirSync(join(fixture.directory, folder)).length === 0;

describe('backups', { timeout: 60_000 }, () => {
  test('hold a file with many names once, and a restore links them again', async () => {
    const { id, home } = await makeBot();
    // Bytes that no compression makes smaller.
    const content = Buffer.alloc(2 * mebibyte);
    for (let at = 0, seed = 1; at < content.length; at += 4) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      content.writeUInt32LE(seed, at);
    }
    mkdirSync(join(home, 'links'));
    writeFileSync(join(home, 'a'), content);
    for (let name = 0; name < 40; name++) linkSync(join(home, 'a'), join(home, 'links', String(name)));
    const { status, body } = await send<BackupData>(fixture.client, `POST /bots/${id}/backups`, { name: 'links' });
    assert.deepEqual([status, body.error], [201, undefined]);
    assert.ok(body.data.size_bytes < 4 * mebibyte, `${body.data.size_bytes} bytes`);

    const linked = statSync(join(home, 'a'));
    const restored = await send(fixture.client, 'POST /backups/restore', { backup_id: body.data.id });
    assert.equal(restored.status, 200, JSON.stringify(restored.body));
    await until(
      () =>
        ![undefined, linked.ino].includes(statSync(join(home, 'links/0'), { throwIfNoEntry: false })?.ino) &&
        isEmpty('restoring'),
    );
    const first = statSync(join(home, 'a'));
    assert.equal(first.nlink, 41);
    assert.deepEqual(
      readdirSync(join(home, 'links')).map((name) => statSync(join(home, 'links', name)).ino),
      Array.from({ length: 40 }, () => first.ino),
    );
    assert.ok(readFileSync(join(home, 'links/7')).equals(content));
  });

  test('of holes beyond the disk of the bot are refused at once, and nothing of them is left', async () => {
    const { id, home } = await makeBot();
    makeHole(join(home, 'hole'), 8 * terabyte);
    assertRefused(await send(fixture.client, `POST /bots/${id}/backups`, { name: 'hole' }), overBackup);
    assert.deepEqual(readdirSync(join(fixture.directory, 'backups', id)), []);
  });
});

describe('archives', { timeout: 60_000 }, () => {
  for (const [kind, type] of [
    ['a file', '0'],
    ['a device', '3'],
  ] as const)
    test(`that declare ${kind} of terabytes are refused before any of it is read`, async () => {
      const { id, home } = await makeBot();
      makeSparseTar(join(home, 'sparse.tar'), type);
      const answer = await send(fixture.client, `POST /bots/${id}/files/extract`, { path: 'sparse.tar', to: 'out' });
      assert.deepEqual([answer.status, answer.headers.get('X-Error-Code')], [403, 'disk_limit']);
      assert.ok(isEmpty('staging'));
    });

  test('whose end is a hole of terabytes are read no further than their budget', async () => {
    const { id, home } = await makeBot();
    writeFileSync(join(home, 'end.tar'), makeTar([{ name: 'a', content: '1' }]));
    truncateSync(join(home, 'end.tar'), 8 * terabyte);
    const answer = await send(fixture.client, `POST /bots/${id}/files/extract`, { path: 'end.tar', to: 'out' });
    assertRefused(answer, overWork('archive'));
  });

  test('are not made of more than the disk of the bot, and holes are not copied', async () => {
    const { id, home } = await makeBot();
    makeHole(join(home, 'hole'), 8 * terabyte);
    const compress = { paths: ['hole'], to: 'hole.zip' };
    assertRefused(await send(fixture.client, `POST /bots/${id}/files/compress`, compress), overWork('paths'));
    const copy = { from: 'hole', to: 'copy' };
    assertRefused(await send(fixture.client, `POST /bots/${id}/files/copy`, copy), overWork('from'));
  });
});

describe('downloads', { timeout: 60_000 }, () => {
  test('of a folder end at holes beyond the budget', async () => {
    const { id, home } = await makeBot();
    mkdirSync(join(home, 'holes'));
    makeHole(join(home, 'holes/first'), 8 * terabyte);
    assertRefused(await send(fixture.client, `GET /bots/${id}/files/download?path=holes`), overWork('path'));
  });

  test('of a folder end with their client', async () => {
    const { id, home } = await makeBot();
    makeHole(join(home, 'hole'), 60 * mebibyte);
    const before = openFileCount();
    const leave = new AbortController();
    const { signal } = leave;
    const answer = await fixture.client.fetch('GET', `/bots/${id}/files/download?path=`, { signal });
    assert.equal((await answer.body!.getReader().read()).done, false);
    leave.abort();
    await untilOpenFiles(before);
  });

  test('do not keep the server from its end', async () => {
    const other = await startFixture();
    const { id } = await other.client.createBot({ ...goodBot, memory: 128 });
    await other.client.writeFile(id, 'index.js', '1');
    makeHole(join(other.directory, 'homes', id, 'hole'), 8 * terabyte);
    const answer = await other.client.fetch('GET', `/bots/${id}/files/download?path=hole`);
    assert.equal(answer.status, 200);
    await other[Symbol.asyncDispose]();
    await assert.rejects(answer.arrayBuffer());
  });

  test('end with the deletion of their bot, which goes on', async () => {
    const { id, home } = await makeBot();
    makeHole(join(home, 'hole'), 8 * terabyte);
    const answer = await fixture.client.fetch('GET', `/bots/${id}/files/download?path=hole`);
    const reader = answer.body!.getReader();
    assert.equal((await reader.read()).done, false);
    await fixture.client.deleteBot(id, true);
    await assert.rejects(async () => {
      while (!(await reader.read()).done) continue;
    });
    await fixture.server.settle();
    assert.equal(readdirSync(join(fixture.directory, 'homes')).includes(id), false);
  });
});
