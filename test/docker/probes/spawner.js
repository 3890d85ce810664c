// A bot that starts programs until it is refused, and tells why and after how many.
import { spawn } from 'node:child_process';

const children = [];
let refusal = null;
while (refusal === null && children.length < 1000) {
  const child = spawn('/bin/sleep', ['1000'], { stdio: 'ignore' });
  child.on('error', () => {
    // Told below, by the missing pid.
  });
  if (child.pid === undefined) refusal = await new Promise((resolve) => child.once('error', ({ code }) => resolve(code)));
  else children.push(child);
}
console.log(JSON.stringify({ refusal, started: children.length }));
setInterval(() => {}, 1000);
