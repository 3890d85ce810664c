// Probes of servers that answer well, badly, endlessly, or not at all.
import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type HttpAnswer, probeHttp } from './http-probe.ts';

const never = new AbortController().signal;

async function portOf(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function ask(port: number, change: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<HttpAnswer> {
  const question = { address: '127.0.0.1', port, path: '/up?a=1', host: 'greeter.apps.localhost' };
  return probeHttp({ ...question, timeoutMs: change.timeoutMs ?? 5_000 }, change.signal ?? never);
}

function answersWith(t: TestContext, listener: RequestListener): Promise<number> {
  return portOf(t, createHttpServer(listener));
}

test('the question is a GET of the path under the name of the app', async (t) => {
  const seen: string[] = [];
  const port = await answersWith(t, ({ method, url, headers }, response) => {
    seen.push(`${method} ${url} ${headers.host}`);
    response.end();
  });
  assert.deepEqual(await ask(port), { status: 200 });
  assert.deepEqual(seen, ['GET /up?a=1 greeter.apps.localhost']);
});

test('a redirect is an answer, and is not followed', async (t) => {
  let asked = 0;
  const port = await answersWith(t, (_request, response) => {
    asked++;
    response.writeHead(302, { location: '/' }).end();
  });
  assert.deepEqual([await ask(port), asked], [{ status: 302 }, 1]);
});

test('of a body without end nothing is read', async (t) => {
  const closed = Promise.withResolvers<void>();
  const port = await answersWith(t, (_request, response) => {
    response.on('close', () => closed.resolve());
    response.writeHead(503);
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  assert.deepEqual(await ask(port), { status: 503 });
  await closed.promise;
});

test('who says nothing, or only begins to, is not waited for', async (t) => {
  const silent = await portOf(t, createServer());
  assert.deepEqual(await ask(silent, { timeoutMs: 50 }), { fault: 'no answer within 0.05 s' });
  const slow = await portOf(
    t,
    createServer((socket) => socket.write('HTTP/1.1 200')),
  );
  assert.deepEqual(await ask(slow, { timeoutMs: 50 }), { fault: 'no answer within 0.05 s' });
});

test('what is no HTTP, and heads without end, are told', async (t) => {
  const odd = await portOf(
    t,
    createServer((socket) => socket.end('SSH-2.0-x\r\n')),
  );
  assert.deepEqual(await ask(odd), { fault: `what listens on port ${odd} does not answer as HTTP` });
  const endless = await portOf(
    t,
    createServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(100)}`)),
  );
  assert.deepEqual(await ask(endless), { fault: `what listens on port ${endless} does not answer as HTTP` });
});

test('where nobody listens', async (t) => {
  const server = createServer();
  const port = await portOf(t, server);
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(await ask(port), { fault: `nothing listens on port ${port}` });
});

test('a question that is taken back ends at once', async (t) => {
  const port = await portOf(t, createServer());
  const controller = new AbortController();
  const answer = ask(port, { signal: controller.signal });
  controller.abort();
  assert.ok('fault' in (await answer));
});
