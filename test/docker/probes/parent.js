// A bot whose child takes memory without end; it outlives that child and ends with code 3 once it finds the file `end`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const child = spawn(process.execPath, ['hog.js'], { stdio: 'ignore' });
child.once('exit', (_code, signal) => {
  console.log(`child ended by ${signal}`);
  setInterval(() => {
    if (existsSync('end')) process.exit(3);
  }, 50);
});
