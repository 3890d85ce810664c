// Answers on every address and port of its arguments (`address port …`), by TCP and UDP, and says `ready`.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const words = process.argv.slice(2);
for (let at = 0; at < words.length; at += 2) {
  const [address, port] = [words[at], Number(words[at + 1])];
  const server = createServer((socket) => socket.on('error', () => {}).end('hello'));
  await once(server.listen(port, address), 'listening');
  // One socket per address: an answer has to come from the address that was asked.
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (_, from) => socket.send('hello', from.port, from.address));
  socket.bind(port, address);
  await once(socket, 'listening');
}
console.log('ready');
