// POST /bots/:id/files/upload with a form of files, and GET of parts of a file, also of one that
// changes meanwhile
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, truncateSync } from 'node:fs';
import { get as httpGet, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FileListData, UploadedFilesData } from '@botel/contract/files';
import { makeZip } from '../support/archive-maker.ts';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { type Answer, assertRefused, botNotFound, invalidInput, type Refusal, send, unauthorized } from './request.ts';

const mebibyte = 1024 * 1024;

let fixture: Fixture;
let id: string;

before(async () => {
  fixture = await startFixture({ BOTEL_UPLOAD_BYTES: String(20 * mebibyte) });
  id = (await fixture.client.createBot(goodBot)).id;
});

after(() => fixture[Symbol.asyncDispose]());

type Part = [name: string, content: string | Buffer];

function formOf(...parts: Part[]): FormData {
  const form = new FormData();
  for (const [name, content] of parts) form.append('files', new Blob([new Uint8Array(Buffer.from(content))]), name);
  return form;
}

async function answerOf(response: Response): Promise<Answer<UploadedFilesData>> {
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer<UploadedFilesData>['body'],
  };
}

async function upload(query: string, form: FormData, client = fixture.client): Promise<Answer<UploadedFilesData>> {
  return answerOf(await client.fetch('POST', `/bots/${id}/files/upload?${query}`, { body: form }));
}

/** A form as it goes over the wire, which may be wrong in any way. */
async function uploadRaw(query: string, body: string, type = 'multipart/form-data; boundary=b') {
  const init = { body, headers: { 'Content-Type': type } };
  return answerOf(await fixture.client.fetch('POST', `/bots/${id}/files/upload?${query}`, init));
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fixture.client.fetch('GET', `/bots/${id}/files/content?path=${encodeURIComponent(path)}`, { headers });
}

async function names(path: string): Promise<string[]> {
  const { data } = await fixture.client.call<FileListData>('GET', `/bots/${id}/files?path=${path}&limit=1000`);
  return data.entries.map((entry) => entry.name);
}

const staged = () => readdirSync(join(fixture.directory, 'staging'));
const fault = (text: string) => invalidInput('upload', text);

describe('a form: 200', () => {
  test('files with folders in their names arrive as they are', async () => {
    const parts: Part[] = [
      ['index.js', 'console.log(1)'],
      ['src/deep/über "uns"\n.js', 'ü'],
      ['src/empty', ''],
      ['bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
      ['large', Buffer.alloc(3 * mebibyte, 'large ')],
      ['100% & 50+50 é😀;=.txt', 'x'],
    ];
    const bytes = parts.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0);
    const { status, body } = await upload('path=form', formOf(...parts));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body, {
      success: true,
      data: { files_written: parts.length, bytes_written: bytes, files_deleted: 0 },
    });
    for (const [name, content] of parts) {
      const found = Buffer.from(await (await get(`form/${name}`)).arrayBuffer());
      assert.ok(found.equals(Buffer.from(content)), name);
    }
  });

  test('hundreds of files, into the home itself; what is no file is ignored', async () => {
    const form = formOf(...Array.from({ length: 500 }, (_, index): Part => [`many/${index % 7}/${index}`, `${index}`]));
    form.append('comment', 'not a file');
    const { body } = await upload('', form);
    assert.equal(body.data.files_written, 500);
    assert.equal(await (await get('many/3/10')).text(), '10');
  });

  test('overwrite and mirror mean the same as with an archive', async () => {
    await upload('path=mirror', formOf(['a', '1'], ['b/c', '2']));
    const refused = await upload('path=mirror&overwrite=false', formOf(['new', '1'], ['a', '2']));
    assertRefused(refused, { status: 409, code: 'already_exists', error: '"mirror/a" already exists' });
    const { body } = await upload('path=mirror&mirror=true', formOf(['a', '3']));
    assert.deepEqual(body.data, { files_written: 1, bytes_written: 1, files_deleted: 1 });
    assert.deepEqual([await names('mirror'), await (await get('mirror/a')).text()], [['a'], '3']);
  });

  test('an archive in a form is unpacked when that is asked for', async () => {
    const zip = makeZip([{ name: 'one', content: '1' }]);
    const { status } = await upload('path=unpacked&extract=zip', formOf(['bot.zip', zip]));
    assert.deepEqual([status, await names('unpacked')], [200, ['one']]);
    assertRefused(
      await upload('path=two&extract=zip', formOf(['a.zip', zip], ['b.zip', zip])),
      fault('holds more than one archive'),
    );
    assertRefused(await upload('path=two&extract=zip', new FormData()), fault('holds no files'));
    assert.ok(!(await names('')).includes('two'));
  });
});

describe('a form: refused', () => {
  test('400: names that are not valid, alone or together; nothing is changed', async () => {
    for (const name of ['..', '../x', 'a/../../x', '/etc/passwd', 'a//b', 'x'.repeat(256), `${'d/'.repeat(64)}x`]) {
      const { status, body } = await upload('path=refused', formOf(['fine', '1'], [name, '2'], ['more', '3']));
      assert.equal(status, 400, name);
      assert.match(body.error ?? '', /^upload (holds a name that is not valid|is nested more than 64 deep)$/);
    }
    assertRefused(
      await upload('path=refused', formOf(['a', '1'], ['./a', '2'])),
      fault('holds two entries of the same name'),
    );
    assertRefused(
      await upload('path=refused', formOf(['a', '1'], ['a/b', '2'])),
      fault('holds a file where it also holds a folder'),
    );
    assertRefused(await upload('path=..', formOf(['a', '1'])), invalidInput('path', 'is not valid'));
    assert.deepEqual([(await names('')).includes('refused'), staged()], [false, []]);
  });

  test('400: what is no whole form', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\ncontent';
    const damaged = fault('is damaged or not a form');
    for (const body of ['', 'nonsense', '--b', part, `${part}\r\n`, `${part}\r\n--b\r\nContent-Disposition: form-data`])
      assertRefused(await uploadRaw('path=cut', body), damaged, JSON.stringify(body));
    assertRefused(await uploadRaw('path=cut', `${part}\r\n--b--`, 'multipart/form-data'), damaged);
    assertRefused(await uploadRaw('path=cut', '--b--\r\n'), fault('holds no files'));
    const nameless =
      '--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream\r\n\r\nx';
    assertRefused(await uploadRaw('path=cut', `${nameless}\r\n--b--`), fault('holds a name that is not valid'));
    assert.equal((await uploadRaw('path=whole', `${part}\r\n--b--`)).status, 200);
    assert.deepEqual([(await names('')).includes('cut'), staged()], [false, []]);
  });

  test('401 and 404: without a token, and bots of others', async () => {
    assertRefused(await upload('', formOf(['a', '1']), fixture.guest), unauthorized);
    assertRefused(await upload('', formOf(['a', '1']), fixture.stranger), botNotFound);
  });

  test('413 and 403: more than an upload, the plan or the disk allows', async () => {
    const tooLarge = (mb: number): Refusal => ({
      status: 413,
      code: 'too_large',
      error: `Body exceeds the ${mb} MB limit`,
    });
    const large = formOf(['a', Buffer.alloc(12 * mebibyte)], ['b', Buffer.alloc(9 * mebibyte)]);
    assertRefused(await upload('path=large', large), tooLarge(20));
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ upload_mb: 2 }).execute());
    const overPlan = formOf(['a', Buffer.alloc(mebibyte)], ['b', Buffer.alloc(mebibyte)]);
    assertRefused(await upload('path=large', overPlan), tooLarge(2));
    // Of unknown length: counted as it comes.
    const sent = new Response(overPlan);
    const init = {
      body: ReadableStream.from(sent.body as unknown as AsyncIterable<Uint8Array>),
      duplex: 'half',
      headers: { 'Content-Type': sent.headers.get('Content-Type') ?? '' },
    } as RequestInit;
    assert.equal((await upload('path=fits', formOf(['a', Buffer.alloc(mebibyte)]))).status, 200);
    const bytes = { 'Content-Type': 'application/octet-stream' };
    const put = `PUT /bots/${id}/files/content?path=large`;
    assertRefused(await send(fixture.client, put, 'x'.repeat(2 * mebibyte + 1), bytes), tooLarge(2));
    const chunked = await answerOf(await fixture.client.fetch('POST', `/bots/${id}/files/upload?path=large`, init));
    assert.equal(chunked.status, 200, 'two files of 1 MB are 2 MB of content');
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ upload_mb: 20, disk_mb: 1 }).execute());
    const full = await upload('path=full', formOf(['a', '1']));
    assert.deepEqual([full.status, full.headers.get('X-Error-Code')], [403, 'disk_limit']);
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 10_240 }).execute());
    assert.deepEqual([(await names('')).includes('full'), staged()], [false, []]);
  });

  test('a client that goes away in the middle leaves nothing', async () => {
    const sent = request(`${fixture.url}/bots/${id}/files/upload?path=half`, {
      method: 'POST',
      headers: {
        'Content-Type': 'multipart/form-data; boundary=b',
        Authorization: `Bearer ${fixture.token}`,
        'Content-Length': 1000,
      },
    });
    sent.on('error', () => undefined);
    sent.write('--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nhalf');
    await until(async () => staged().length === 1);
    sent.destroy();
    await until(async () => staged().length === 0);
    assert.ok(!(await names('')).includes('half'));
  });
});

describe('parts of a file', () => {
  const text = '0123456789';
  let etag: string;

  before(async () => {
    await fixture.client.writeFile(id, 'ranged', text);
    etag = (await get('ranged')).headers.get('ETag') ?? '';
  });

  test('206: the bytes that are asked for, also of a download', async () => {
    for (const [range, part, shown] of [
      ['bytes=2-4', '234', '2-4'],
      ['bytes=7-', '789', '7-9'],
      ['bytes=-2', '89', '8-9'],
      ['bytes=0-99', text, '0-9'],
    ] as const) {
      for (const what of ['content', 'download']) {
        const line = `/bots/${id}/files/${what}?path=ranged`;
        const response = await fixture.client.fetch('GET', line, { headers: { Range: range } });
        assert.equal(response.status, 206);
        assert.deepEqual(
          [await response.text(), response.headers.get('Content-Range'), response.headers.get('Content-Length')],
          [part, `bytes ${shown}/10`, String(part.length)],
        );
        assert.equal(response.headers.get('ETag'), etag);
      }
    }
    assert.equal((await get('ranged', { Range: 'bytes=2-4', 'If-Range': etag })).status, 206);
  });

  test('200: the whole file when no part, more than one, or a part of another version is asked for', async () => {
    for (const headers of [
      {},
      { Range: 'bytes=0-1,3-4' },
      { Range: 'lines=1-2' },
      { Range: 'bytes=2-4', 'If-Range': '"other"' },
    ] as Record<string, string>[]) {
      const response = await get('ranged', headers);
      assert.deepEqual([response.status, await response.text()], [200, text]);
      assert.equal(response.headers.get('Accept-Ranges'), 'bytes');
      assert.equal(response.headers.get('Content-Range'), null);
    }
  });

  test('416: a part after the end', async () => {
    const line = `GET /bots/${id}/files/content?path=ranged`;
    const answer = await send(fixture.client, line, undefined, { Range: 'bytes=10-' });
    const error = 'Range begins after the end of the file';
    assertRefused(answer, { status: 416, code: 'range_not_satisfiable', error });
    assert.equal(answer.headers.get('Content-Range'), 'bytes */10');
  });
});

describe('a file that the bot writes while it is read', () => {
  const sizeBytes = 16 * mebibyte;

  /** Begins to read, and stops so that most of the file is still on the server. */
  async function beginToRead(path: string): Promise<IncomingMessage> {
    await fixture.client.writeFile(id, path, new Uint8Array(sizeBytes).fill(1));
    const headers = { Authorization: `Bearer ${fixture.token}` };
    const asked = httpGet(`${fixture.url}/bots/${id}/files/content?path=${path}`, { headers, agent: false });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve).on('error', reject);
    });
    assert.equal(response.headers['content-length'], String(sizeBytes));
    return response;
  }

  test('is sent as long as it was when it was opened', async () => {
    const response = await beginToRead('growing');
    appendFileSync(join(fixture.directory, 'homes', id, 'growing'), 'more');
    let received = 0;
    for await (const chunk of response) received += (chunk as Buffer).length;
    assert.deepEqual([received, response.complete], [sizeBytes, true]);
  });

  test('ends the connection when it became shorter', async () => {
    const response = await beginToRead('shrinking');
    truncateSync(join(fixture.directory, 'homes', id, 'shrinking'), 10);
    await assert.rejects(async () => {
      for await (const chunk of response) assert.ok(chunk);
    }, /aborted/);
    assert.equal(response.complete, false);
    assert.equal((await get('ranged')).status, 200);
  });
});
