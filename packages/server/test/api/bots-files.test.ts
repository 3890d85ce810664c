// GET /bots/:id/files, its content and download; PUT content; POST upload and delete
import assert from 'node:assert/strict';
import { lstatSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { FileListData, UploadedFilesData, WrittenFileData } from '@botel/contract/files';
import { makeTarGz, makeZip } from '../support/archive-maker.ts';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { type Answer, assertRefused, botNotFound, invalidInput, type Refusal, send, unauthorized } from './request.ts';

const limitBytes = 1024 * 1024;
const bytesType = { 'Content-Type': 'application/octet-stream' };
const fileNotFound: Refusal = { status: 404, code: 'file_not_found', error: 'File not found' };
const tooLarge = (thing: string): Refusal => ({
  status: 413,
  code: 'too_large',
  error: `${thing} exceeds the 1 MB limit`,
});

let fixture: Fixture;
let id: string;

before(async () => {
  fixture = await startFixture({ BOTEL_UPLOAD_BYTES: String(limitBytes) });
  id = (await fixture.client.createBot(goodBot)).id;
});

after(() => fixture[Symbol.asyncDispose]());

function put(path: string, content: string, headers: Record<string, string> = {}): Promise<Answer<WrittenFileData>> {
  return send(fixture.client, `PUT /bots/${id}/files/content?path=${encodeURIComponent(path)}`, content, {
    ...bytesType,
    ...headers,
  });
}

async function upload(query: string, body: Buffer | string): Promise<Answer<UploadedFilesData>> {
  const init = { body: typeof body === 'string' ? body : new Uint8Array(body), headers: bytesType };
  const response = await fixture.client.fetch('POST', `/bots/${id}/files/upload?${query}`, init);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer<UploadedFilesData>['body'],
  };
}

function get(what: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fixture.client.fetch('GET', `/bots/${id}/files/${what}?path=${encodeURIComponent(path)}`, { headers });
}

async function list(path: string, query = ''): Promise<FileListData> {
  const line = `/bots/${id}/files?path=${encodeURIComponent(path)}${query}`;
  return (await fixture.client.call<FileListData>('GET', line)).data;
}

async function names(path: string): Promise<string[]> {
  return (await list(path)).entries.map((entry) => entry.name);
}

describe('200', () => {
  test('a file is written, listed, read and deleted; the bot then needs a restart only if it runs', async () => {
    const { status, body } = await put('src/über uns.js', 'console.log(1)');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.data), ['path', 'size_bytes', 'modified_at', 'etag']);
    assert.deepEqual([body.data.path, body.data.size_bytes], ['src/über uns.js', 14]);

    const listed = await list('src');
    assert.deepEqual([listed.path, listed.count, listed.next_cursor], ['src', 1, null]);
    const { modified_at, ...entry } = listed.entries[0] ?? assert.fail('no entry');
    assert.deepEqual(entry, { name: 'über uns.js', type: 'file', size_bytes: 14, mode: 0o644 });
    assert.equal(modified_at, body.data.modified_at);
    assert.deepEqual(
      (await list('')).entries.map(({ name, type }) => [name, type]),
      [['src', 'directory']],
    );

    const read = await get('content', 'src/über uns.js');
    assert.equal(await read.text(), 'console.log(1)');
    const headers = Object.fromEntries(read.headers);
    assert.equal(headers.etag, body.data.etag);
    assert.equal(headers['content-type'], 'application/octet-stream');
    assert.equal(headers['content-length'], '14');
    assert.equal(headers['x-content-type-options'], 'nosniff');

    const deleted = await send(fixture.client, `POST /bots/${id}/files/delete`, { paths: ['src/über uns.js', 'src'] });
    assert.deepEqual(deleted.body, { success: true, data: { count: 2 } });
    assert.deepEqual(await names(''), []);
    assert.equal((await fixture.client.bot(id)).needs_restart, false);
  });

  test('a change while the bot runs shows as needs_restart', async () => {
    const running = (await fixture.client.createBot({ ...goodBot, memory: 128, startup_command: 'graceful' })).id;
    await fixture.client.lifecycle('start', running);
    await until(async () => (await fixture.client.bot(running)).status === 'online');
    assert.equal((await fixture.client.bot(running)).needs_restart, false);
    await fixture.client.writeFile(running, 'a', 'x');
    assert.equal((await fixture.client.bot(running)).needs_restart, true);
    await fixture.client.deleteBot(running, true);
  });

  test('pages follow each other by name', async () => {
    for (let index = 9; index >= 0; index--) await put(`pages/${index}`, '');
    const first = await list('pages', '&limit=4');
    const second = await list('pages', `&limit=4&cursor=${first.next_cursor}`);
    const third = await list('pages', `&limit=4&cursor=${second.next_cursor}`);
    const all = [first, second, third].map((page) => page.entries.map((entry) => entry.name).join(''));
    assert.deepEqual(all, ['0123', '4567', '89']);
    assert.deepEqual([first.count, third.next_cursor], [10, null]);
  });

  test('empty and binary content, and names that need encoding, come back as they were', async () => {
    for (const [path, content] of [
      ['bytes/empty', Buffer.alloc(0)],
      ['bytes/all', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
      ['bytes/a\\b "c" %2f #?&', Buffer.from('x')],
    ] as const) {
      await fixture.client.writeFile(id, path, new Uint8Array(content));
      assert.deepEqual(Buffer.from(await (await get('content', path)).arrayBuffer()), content, path);
    }
    assert.equal((await list('bytes')).count, 3);
  });

  test('download sends a file as an attachment and a folder as a zip file', async () => {
    await put('site/index "1" ü.html', '<p>');
    const file = await get('download', 'site/index "1" ü.html');
    assert.equal(await file.text(), '<p>');
    assert.equal(
      file.headers.get('Content-Disposition'),
      `attachment; filename="index _1_ _.html"; filename*=UTF-8''index%20%221%22%20%C3%BC.html`,
    );
    const folder = await get('download', 'site');
    assert.equal(folder.headers.get('Content-Type'), 'application/zip');
    assert.match(folder.headers.get('Content-Disposition') ?? '', /filename="site.zip"/);
    const zip = Buffer.from(await folder.arrayBuffer());
    assert.equal((await upload('path=site-copy&extract=zip', zip)).status, 200);
    assert.equal(await (await get('content', 'site-copy/index "1" ü.html')).text(), '<p>');
    const home = await get('download', '');
    assert.match(home.headers.get('Content-Disposition') ?? '', /filename="greeter.zip"/);
    assert.ok((await home.arrayBuffer()).byteLength > 0);
  });

  test('uploads one file, or an archive into a folder; mirror deletes the rest', async () => {
    assert.deepEqual((await upload('path=up/one', 'text')).body, {
      success: true,
      data: { files_written: 1, bytes_written: 4, files_deleted: 0 },
    });
    const archive = makeTarGz([
      { name: 'two', content: '2' },
      { name: 'three/3', content: '33' },
    ]);
    const added = await upload('path=up&extract=tar.gz', archive);
    assert.deepEqual(added.body.data, { files_written: 2, bytes_written: 3, files_deleted: 0 });
    assert.deepEqual(await names('up'), ['one', 'three', 'two']);
    const mirrored = await upload('path=up&extract=zip&mirror=true', makeZip([{ name: 'two', content: '' }]));
    assert.deepEqual(mirrored.body.data, { files_written: 1, bytes_written: 0, files_deleted: 2 });
    assert.deepEqual(await names('up'), ['two']);
    const home = join(fixture.directory, 'homes', id);
    assert.equal(lstatSync(join(home, 'up/two')).uid, lstatSync(home).uid);
  });

  test('If-Match and If-None-Match guard against lost changes', async () => {
    const first = await put('guarded', '1', { 'If-None-Match': '*' });
    assert.equal(first.status, 200);
    assert.equal((await put('guarded', '2', { 'If-Match': first.body.data.etag })).status, 200);
  });
});

describe('400', () => {
  test('paths that leave the home, and the rest of the input', async () => {
    const notValid = invalidInput('path', 'is not valid');
    for (const path of ['..', '../x', 'a/../b', '/etc/passwd', 'a//b', 'a/', '.', 'a\0b', 'x'.repeat(256)]) {
      const query = `path=${encodeURIComponent(path)}`;
      for (const line of [
        `GET /bots/${id}/files?`,
        `GET /bots/${id}/files/content?`,
        `GET /bots/${id}/files/download?`,
      ]) {
        assertRefused(await send(fixture.client, line + query), notValid, line + query);
      }
      assertRefused(await put(path, 'x'), notValid, path);
      assertRefused(await upload(`${query}&extract=zip`, 'x'), notValid, path);
      const body = { paths: ['fine', path] };
      assertRefused(
        await send(fixture.client, `POST /bots/${id}/files/delete`, body),
        invalidInput('paths[1]', 'is not valid'),
      );
    }
    for (const [line, refusal, body] of [
      ['GET /files/content', invalidInput('path', 'is required')],
      ['GET /files/content?path=', notValid],
      ['GET /files?limit=1001', invalidInput('limit', 'must be a whole number between 1 and 1000')],
      ['GET /files?cursor=!', invalidInput('cursor', 'is not valid')],
      ['POST /files/delete', invalidInput('paths', 'is required'), {}],
      ['POST /files/delete', invalidInput('paths', 'must be a list'), { paths: 'a' }],
      ['POST /files/delete', invalidInput('paths[0]', 'must be a string'), { paths: [1] }],
      ['POST /files/delete', invalidInput('paths', 'must hold between 1 and 1000 paths'), { paths: [] }],
    ] as const) {
      assertRefused(await send(fixture.client, line.replace('/files', `/bots/${id}/files`), body), refusal, line);
    }
    assertRefused(await upload('path=a&extract=rar', 'x'), invalidInput('extract', 'must be one of: zip, tar, tar.gz'));
    assertRefused(await upload('path=a&mirror=yes', 'x'), invalidInput('mirror', 'must be true or false'));
    assertRefused(await upload('', 'x'), invalidInput('path', 'is required'));
  });

  test('archives that break the rules change nothing', async () => {
    await put('safe/kept', 'old');
    for (const [archive, fault] of [
      [makeZip([{ name: 'kept', content: 'new' }, { name: '../x' }]), 'holds a name that is not valid'],
      [makeZip([{ name: 'l', type: '2', target: '/etc' }]), 'holds a link that leads out of the folder'],
      [
        makeZip([{ name: 'kept', content: 'new', claimedChecksum: crc32('old') }]),
        'is damaged: a checksum does not match',
      ],
      [Buffer.from('no archive'), 'is damaged or not of the given type'],
    ] as const) {
      assertRefused(await upload('path=safe&extract=zip', archive), invalidInput('archive', fault));
      assert.equal(await (await get('content', 'safe/kept')).text(), 'old');
    }
    assert.deepEqual(readdirSync(join(fixture.directory, 'staging')), []);
  });
});

test('401: without a token', async () => {
  for (const line of ['GET /files', 'GET /files/content?path=a', 'GET /files/download?path=a']) {
    assertRefused(await send(fixture.guest, line.replace('/files', `/bots/${id}/files`)), unauthorized);
  }
  assertRefused(await send(fixture.guest, `PUT /bots/${id}/files/content?path=a`, 'x', bytesType), unauthorized);
  assertRefused(await send(fixture.guest, `POST /bots/${id}/files/upload?path=a`, 'x', bytesType), unauthorized);
  assertRefused(await send(fixture.guest, `POST /bots/${id}/files/delete`, { paths: ['a'] }), unauthorized);
});

test('403: a bot whose disk is full takes no more', async () => {
  const full = await startFixture();
  try {
    const bot = (await full.client.createBot(goodBot)).id;
    await full.client.writeFile(bot, 'a', 'x');
    await inDatabase(full, (db) => db.updateTable('plans').set({ disk_mb: 1 }).execute());
    const line = (path: string) => `/bots/${bot}/files/content?path=${path}`;
    const refusal: Refusal = { status: 403, code: 'disk_limit', error: 'Disk limit reached: 1MB of 1MB' };
    // A sender that declares more than the plan's disk is refused before it sends, another one when
    // it has sent too much.
    assertRefused(await send(full.client, `PUT ${line('b')}`, 'x'.repeat(limitBytes + 1), bytesType), refusal);
    const chunks = ReadableStream.from([new Uint8Array(limitBytes), new Uint8Array(1)]);
    const init = { body: chunks, duplex: 'half', headers: bytesType } as RequestInit;
    const response = await full.client.fetch('PUT', line('b'), init);
    assert.deepEqual([response.status, response.headers.get('X-Error-Code')], [403, 'disk_limit']);
    const bomb = makeZip([{ name: 'bomb', content: Buffer.alloc(2 * limitBytes) }]);
    const upload = { body: new Uint8Array(bomb), headers: bytesType };
    const unpacked = await full.client.fetch('POST', `/bots/${bot}/files/upload?extract=zip`, upload);
    assert.deepEqual([unpacked.status, unpacked.headers.get('X-Error-Code')], [403, 'disk_limit']);
  } finally {
    await full[Symbol.asyncDispose]();
  }
});

test('404: what is not there, and bots of others', async () => {
  for (const what of ['content', 'download']) {
    const answer = await send(fixture.client, `GET /bots/${id}/files/${what}?path=no/such`);
    assertRefused(answer, fileNotFound);
  }
  assertRefused(await send(fixture.client, `GET /bots/${id}/files?path=no`), fileNotFound);
  await put('here', 'x');
  assertRefused(await send(fixture.client, `POST /bots/${id}/files/delete`, { paths: ['here', 'no'] }), fileNotFound);
  assert.equal(await (await get('content', 'here')).text(), 'x');
  assertRefused(await send(fixture.stranger, `GET /bots/${id}/files`), botNotFound);
  assertRefused(await send(fixture.client, 'GET /bots/no-uuid/files'), botNotFound);
});

test('409: conditions that do not hold', async () => {
  const { body } = await put('raced', '1');
  const taken: Refusal = { status: 409, code: 'already_exists', error: '"raced" already exists' };
  const changed: Refusal = { status: 409, code: 'file_changed', error: 'File changed since it was read' };
  assertRefused(await put('raced', '2', { 'If-None-Match': '*' }), taken);
  assertRefused(await upload('path=raced&overwrite=false', '2'), taken);
  assert.equal((await put('raced', '2')).status, 200);
  assertRefused(await put('raced', '3', { 'If-Match': body.data.etag }), changed);
  assertRefused(await put('missing', '3', { 'If-Match': body.data.etag }), changed);
  const archive = makeZip([{ name: 'raced', content: '4' }, { name: 'fresh' }]);
  assertRefused(await upload('extract=zip&overwrite=false', archive), taken);
  assert.equal(await (await get('content', 'raced')).text(), '2');
  assertRefused(await send(fixture.client, `GET /bots/${id}/files/content?path=fresh`), fileNotFound);
});

describe('413', () => {
  test('a declared length over the limit is refused before the body is read', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${fixture.url}/bots/${id}/files/upload?path=big`, {
        method: 'POST',
        headers: { ...bytesType, Authorization: `Bearer ${fixture.token}`, 'Content-Length': limitBytes + 1 },
      });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    assert.equal(status, 413);
    assertRefused(await put('big', 'x'.repeat(limitBytes + 1)), tooLarge('Body'));
    assert.equal((await put('just', 'x'.repeat(limitBytes))).status, 200);
  });

  test('a body of unknown length is cut at the limit', async () => {
    const chunks = function* () {
      for (let sent = 0; sent <= limitBytes; sent += 64 * 1024) yield new Uint8Array(64 * 1024);
    };
    for (const [method, where, thing] of [
      ['PUT', 'content?path=big', 'File'],
      ['POST', 'upload?path=big', 'File'],
      ['POST', 'upload?path=big&extract=zip', 'Body'],
    ] as const) {
      const init = { body: ReadableStream.from(chunks()), duplex: 'half', headers: bytesType } as RequestInit;
      const response = await fixture.client.fetch(method, `/bots/${id}/files/${where}`, init);
      assert.equal(response.status, 413);
      assert.deepEqual(await response.json(), { success: false, error: tooLarge(thing).error });
    }
    assertRefused(await send(fixture.client, `GET /bots/${id}/files/content?path=big`), fileNotFound);
  });
});

test('a client that goes away in the middle leaves nothing', async () => {
  const sent = request(`${fixture.url}/bots/${id}/files/upload?path=half`, {
    method: 'POST',
    headers: { ...bytesType, Authorization: `Bearer ${fixture.token}`, 'Content-Length': 1000 },
  });
  sent.on('error', () => undefined);
  sent.write('half');
  const staging = join(fixture.directory, 'staging');
  await until(async () => readdirSync(staging).length === 1);
  sent.destroy();
  await until(async () => readdirSync(staging).length === 0);
  assertRefused(await send(fixture.client, `GET /bots/${id}/files/content?path=half`), fileNotFound);
});
