// A bot that dials $TARGET (address:port) for three seconds and tells what came of it.
import { connect } from 'node:net';

const [host, port] = process.env.TARGET.split(':');
const socket = connect({ host, port: Number(port), timeout: 3000 });
const end = (outcome) => {
  console.log(JSON.stringify({ outcome }));
  socket.destroy();
};
socket.once('connect', () => end('connected'));
socket.once('timeout', () => end('silence'));
socket.once('error', ({ code }) => end(code));
