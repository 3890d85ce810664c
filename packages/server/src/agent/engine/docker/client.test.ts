// The Engine API client against small servers on a unix socket.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { EngineError } from '../engine.ts';
import { DockerClient } from './client.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-client-'));
after(() => rm(directory, { recursive: true, force: true }));
let sockets = 0;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler, version: object = { ApiVersion: '1.41', MinAPIVersion: '1.12' }) {
  const path = join(directory, `${++sockets}.sock`);
  const server: Server = createServer((request, response) => {
    if (request.url === '/version')
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify(version));
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const client = new DockerClient(`unix://${path}`);
  async function close() {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { client, server, close };
}

function hasCode(code: string) {
  return (error: unknown) => error instanceof EngineError && error.code === code;
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

test('a plain call sends JSON and a query, and returns any status', async () => {
  const { client, close } = await serve(async (request, response) => {
    const body = await textOf(request);
    response.statusCode = 409;
    response.end(JSON.stringify({ method: request.method, url: request.url, body }));
  });
  const answer = await client.request('POST', '/containers/create', {
    query: { name: 'bot_a&b', left: undefined },
    body: { Image: 'x' },
  });
  assert.deepEqual(answer, {
    status: 409,
    body: { method: 'POST', url: '/v1.41/containers/create?name=bot_a%26b', body: '{"Image":"x"}' },
  });
  await close();
});

for (const [version, expected] of [
  [{ ApiVersion: '1.38', MinAPIVersion: '1.12' }, '/v1.38/x'],
  [{ ApiVersion: '1.52', MinAPIVersion: '1.44' }, '/v1.44/x'],
  [{ ApiVersion: '1.52', MinAPIVersion: '1.24' }, '/v1.41/x'],
] as const) {
  test(`the version ${expected} is chosen for ${JSON.stringify(version)}`, async () => {
    const { client, close } = await serve((request, response) => response.end(request.url), version);
    assert.equal((await client.request('GET', '/x')).body, expected);
    await close();
  });
}

test('an empty body is null and text stays text', async () => {
  const { client, close } = await serve((request, response) => {
    if (request.url === '/v1.41/empty') response.writeHead(204).end();
    else response.end('page not found\n');
  });
  assert.deepEqual(await client.request('POST', '/empty'), { status: 204, body: null });
  assert.deepEqual(await client.request('GET', '/text'), { status: 200, body: 'page not found\n' });
  await close();
});

test('an engine that is not there is unavailable, and is asked for its version again later', async () => {
  const client = new DockerClient(`unix://${join(directory, 'nobody.sock')}`);
  await assert.rejects(client.request('GET', '/info'), hasCode('unavailable'));
  await assert.rejects(client.request('GET', '/info'), hasCode('unavailable'));
  await client.close();
});

test('a silent engine ends in a timeout, before and within the answer', async () => {
  const { client, close } = await serve((request, response) => {
    if (request.url === '/v1.41/half') response.write('{"a":');
  });
  await assert.rejects(client.request('GET', '/silent', { timeoutMs: 30 }), hasCode('timeout'));
  await assert.rejects(client.request('GET', '/half', { timeoutMs: 30 }), hasCode('timeout'));
  await close();
});

test('a cut plain answer is unavailable', async () => {
  const { client, close } = await serve((_, response) => {
    response.write('{"a":', () => response.destroy());
  });
  await assert.rejects(client.request('GET', '/cut'), hasCode('unavailable'));
  await close();
});

test('the caller can abort; the call rejects with the reason', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  const { client, close } = await serve(() => controller.abort(reason));
  await assert.rejects(client.request('GET', '/x', { signal: controller.signal }), reason);
  await assert.rejects(client.request('GET', '/x', { signal: controller.signal }), reason);
  await close();
});

test('a cut stream rejects, an ended one ends', async () => {
  const { client, close } = await serve((request, response) => {
    response.write('one\n', () => (request.url === '/v1.41/cut' ? response.destroy() : response.end('two\n')));
  });
  assert.equal(await textOf(await client.stream('GET', '/whole')), 'one\ntwo\n');
  await assert.rejects(client.stream('GET', '/cut').then(textOf), hasCode('unavailable'));
  await close();
});

test('a cut that comes before the first read is not lost', async () => {
  let cut = () => {};
  const { client, close } = await serve((_, response) => {
    response.flushHeaders();
    cut = () => response.destroy();
  });
  const answer = await client.stream('GET', '/events');
  cut();
  await client.request('GET', '/version-like', { timeoutMs: 20 }).catch(() => {});
  await assert.rejects(textOf(answer), hasCode('unavailable'));
  await close();
});

test('a refused stream carries the text of the engine', async () => {
  const { client, close } = await serve((_, response) => {
    response.writeHead(400).end('{"message":"bad filter"}');
  });
  await assert.rejects(client.stream('GET', '/events'), { code: 'refused', message: 'bad filter' });
  await close();
});

test('leaving a stream early closes its connection', async () => {
  const closed = Promise.withResolvers<void>();
  const { client, close } = await serve((_, response) => {
    response.once('close', () => closed.resolve());
    response.write('one');
  });
  for await (const chunk of await client.stream('GET', '/events')) {
    assert.equal(chunk.toString(), 'one');
    break;
  }
  await closed.promise;
  await close();
});

test('an upload sends its stream and the answer is read as it comes', async () => {
  const { client, close } = await serve(async (request, response) => {
    response.end(`${request.headers['content-type']} ${await textOf(request)}`);
  });
  const answer = await client.upload('POST', '/build', {
    query: { t: 'x' },
    contentType: 'application/x-tar',
    body: Readable.from([Buffer.from('ab'), Buffer.from('cd')]),
  });
  assert.equal(answer.status, 200);
  assert.equal(await textOf(answer), 'application/x-tar abcd');
  await close();
});

test('a failing source fails the upload', async () => {
  const { client, close } = await serve((request, response) => {
    request.on('end', () => response.end());
    request.resume();
  });
  const body = new Readable({ read() {} });
  body.push('ab');
  const upload = client.upload('POST', '/build', { contentType: 'application/x-tar', body });
  setImmediate(() => body.destroy(new Error('disk gone')));
  await assert.rejects(upload, /disk gone/);
  const late = new Readable({ read() {} });
  const begun = client.upload('POST', '/build', { contentType: 'application/x-tar', body: late });
  late.push('ab');
  late.once('data', () => setImmediate(() => late.destroy(new Error('disk gone later'))));
  await assert.rejects(begun, /disk gone later/);
  await close();
});

test('close cuts what is under way and refuses what comes later', async () => {
  const { client, close } = await serve((_, response) => void response.write('one'));
  const stream = await client.stream('GET', '/events');
  const read = textOf(stream);
  await client.close();
  await assert.rejects(read, hasCode('unavailable'));
  await assert.rejects(client.request('GET', '/info'), hasCode('unavailable'));
  await close();
});

test('a connection is used for one call: an engine that is ending still answers on those it has', async () => {
  const connections = new Set<unknown>();
  const { client, close } = await serve((request, response) => {
    connections.add(request.socket);
    response.end('{}');
  });
  for (let call = 0; call < 5; call++) await client.request('GET', '/x');
  await close();
  assert.equal(connections.size, 5);
});

test('addresses are checked', () => {
  assert.throws(() => new DockerClient('ssh://host'), /Not an address/);
  assert.throws(() => new DockerClient('unix://relative'), /Not an address/);
  assert.doesNotThrow(() => new DockerClient('tcp://127.0.0.1:2375'));
});

test('a raw connection carries both ways, until one side ends it or the client is closed', async () => {
  const { client, server, close } = await serve(() => {});
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => (text += chunk)).on('end', () => socket.end(`${request.url} ${text}`));
  });
  const connection = await client.connect('/containers/x/attach', { query: { stdin: true } });
  connection.end('hello');
  assert.equal(await textOf(connection), '/v1.41/containers/x/attach?stdin=true hello');
  const left = await client.connect('/containers/x/attach');
  const closed = new Promise((resolve) => left.once('close', resolve));
  await close();
  await closed;
  await assert.rejects(client.connect('/containers/x/attach'), hasCode('unavailable'));
});

test('a raw connection that is refused, or late, is no connection', async () => {
  const { client, close } = await serve((request, response) => {
    if (request.url?.includes('late')) return;
    response.statusCode = 409;
    response.end('{"message":"it is paused"}');
  });
  await assert.rejects(client.connect('/x'), { code: 'refused', message: 'it is paused' });
  await assert.rejects(client.connect('/late', { timeoutMs: 50 }), hasCode('timeout'));
  await close();
});
