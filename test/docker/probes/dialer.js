// Asks every target of its first argument (JSON: protocol, address, port, from, fromPort) once, and prints which of them answered.
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

const patienceMs = 1_500;

const ask = {
  tcp({ address, port, from }, answer) {
    const socket = connect({ host: address, port, localAddress: from });
    socket.once('data', () => answer(true));
    for (const event of ['error', 'close']) socket.once(event, () => answer(false));
    return () => socket.destroy();
  },
  udp({ address, port, from, fromPort = 0 }, answer) {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.once('message', () => answer(true));
    socket.once('error', () => answer(false));
    socket.bind(fromPort, from, () => socket.send('hello', port, address));
    return () => socket.close();
  },
  icmp({ address, from }, answer) {
    const source = from ? ['-I', from] : [];
    const child = spawn('busybox', ['ping', '-c', '1', '-W', '1', ...source, address], { stdio: 'ignore' });
    child.once('close', (code) => answer(code === 0));
    return () => child.kill();
  },
};

async function answers(target) {
  const { promise, resolve } = Promise.withResolvers();
  const end = ask[target.protocol](target, resolve);
  const timer = setTimeout(() => resolve(false), patienceMs);
  const answer = await promise;
  clearTimeout(timer);
  end();
  return answer;
}

const targets = JSON.parse(process.argv[2]);
console.log(JSON.stringify(await Promise.all(targets.map(answers))));
