// A bot that takes ever more memory and tells after each 8 MB how many it has.
import { writeSync } from 'node:fs';

const taken = [];
for (;;) {
  taken.push(Buffer.alloc(8 * 1024 * 1024, 1));
  // Written at once: the end comes without warning.
  writeSync(1, `${taken.length * 8}\n`);
}
