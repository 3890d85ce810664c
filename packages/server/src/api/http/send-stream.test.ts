// A stream to a stalled client: no frame is requested before the previous one was taken; when the
// client resumes, it gets all of them in order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { until } from '../../../test/support/until.ts';
import { sendStream } from './send-stream.ts';

const frameBytes = 64 * 1024;
const frameCount = 1000;

test('one frame at a time waits for a client', async (t) => {
  let [asked, maxWaiting] = [0, 0];
  const app = Fastify();
  app.get('/', (_, reply) => {
    async function* frames() {
      for (; asked < frameCount; asked++) {
        maxWaiting = Math.max(maxWaiting, reply.raw.writableLength);
        yield Buffer.alloc(frameBytes, String(asked % 10));
      }
    }
    const stream = { ending: new AbortController().signal, close: () => {} };
    return sendStream(reply, stream, { mediaType: 'text/plain', frames: frames() });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(client, 'readable');
  // The kernel's buffer for a stalled client is limited.
  let before = 0;
  await until(async () => asked > 0 && before === (before = asked));
  assert.ok(asked < frameCount, 'the client took all of it');
  let digits = 0;
  let last = '';
  for await (const part of client.setEncoding('latin1') as AsyncIterable<string>) {
    for (const [run] of part.matchAll(/(\d)\1{999,}/g)) {
      if (run[0] !== last) digits++;
      last = run[0]!;
    }
  }
  assert.deepEqual([asked, digits, maxWaiting], [frameCount, frameCount, 0]);
});
