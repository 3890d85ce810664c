// A web bot for tests of the gateway, on $PORT: plain, echo as it comes, events, WebSocket echo, bytes up and down. bot.py and
// bot.go answer alike.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const block = Buffer.from(Array.from({ length: 65_536 }, (_, index) => index % 251));
const streams = new Set();

const routes = {
  '/plain'({ headers, httpVersion }, response) {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ language: 'nodejs', httpVersion, headers }));
  },
  '/echo'(request, response) {
    response.flushHeaders();
    request.pipe(response);
  },
  '/events'(_request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('data: open\n\n');
    streams.add(response);
    response.once('close', () => streams.delete(response));
  },
  async '/publish'(request, response) {
    const text = (await Array.fromAsync(request)).join('');
    for (const stream of streams) stream.write(`data: ${text}\n\n`);
    response.end(String(streams.size));
  },
  async '/up'(request, response) {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    response.end(String(bytes));
  },
  async '/down'(request, response) {
    let left = Number(new URL(request.url, 'http://bot').searchParams.get('bytes'));
    response.setHeader('Content-Length', left);
    for (; left > 0; left -= block.length)
      if (!response.write(block.subarray(0, Math.min(left, block.length)))) await once(response, 'drain');
    response.end();
  },
};

const server = createServer((request, response) => {
  const route = routes[request.url.split('?')[0]];
  if (route) return route(request, response);
  response.statusCode = 404;
  response.end();
});

/** Frames of up to 125 bytes, which is all that the tests send. */
server.on('upgrade', (request, socket, head) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let pending = head;
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    while (pending.length >= 2 && pending.length >= 6 + (pending[1] & 127)) {
      const length = pending[1] & 127;
      const mask = pending.subarray(2, 6);
      const payload = pending.subarray(6, 6 + length).map((byte, index) => byte ^ mask[index % 4]);
      socket.write(Buffer.concat([Buffer.from([pending[0], length]), payload]));
      if ((pending[0] & 15) === 8) socket.end();
      pending = pending.subarray(6 + length);
    }
  });
});

process.on('SIGTERM', () => {
  for (const stream of streams) stream.end();
  server.close(() => process.exit());
});
server.keepAliveTimeout = 5000;
server.listen(Number(process.env.PORT), () => console.log('listening'));
