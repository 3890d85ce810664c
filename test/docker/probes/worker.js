// A bot that counts its starts in a file and, told to end, takes a while to save before it says bye.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const starts = existsSync('starts') ? Number(readFileSync('starts', 'utf8')) + 1 : 1;
writeFileSync('starts', String(starts));
process.on('SIGTERM', () => {
  console.log('saving');
  setTimeout(() => {
    writeFileSync('saved', String(starts));
    console.log('bye');
    process.exit(0);
  }, 700);
});
setInterval(() => {}, 1000);
console.log(`start ${starts}`);
