// A process with a server of WebSockets and visitors that open them through a proxy, and then do
// nothing.
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { answerOrders } from '../child.ts';

export type WebSocketOrder =
  /** The answer is the port of a new server. */
  | { kind: 'serve' }
  /** The answer is the number of connections that were taken for WebSockets. Those of an earlier
   * order are closed first. */
  | { kind: 'open'; port: number; host: string; count: number };

const atOnce = 50;
let open: Socket[] = [];

answerOrders<WebSocketOrder, number>(async (order) => {
  if (order.kind === 'serve') return serve();
  for (const socket of open) socket.destroy();
  open = [];
  while (open.length < order.count) {
    const some = Array.from({ length: Math.min(atOnce, order.count - open.length) }, () => openOne(order));
    open.push(...(await Promise.all(some)));
  }
  return open.length;
});

async function serve(): Promise<number> {
  const server = createServer();
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, resolve));
  return (server.address() as AddressInfo).port;
}

function openOne({ port, host }: { port: number; host: string }): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect(port, '127.0.0.1');
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`);
  socket.once('error', reject);
  socket.once('data', (bytes) => {
    if (bytes.toString('latin1').startsWith('HTTP/1.1 101')) resolve(socket);
    else reject(new Error(`No WebSocket: ${bytes.toString('latin1', 0, 40)}`));
  });
  return promise;
}
