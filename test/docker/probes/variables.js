// A bot that copies its environment, byte for byte, to a file.
import { readFileSync, writeFileSync } from 'node:fs';

writeFileSync('seen', readFileSync('/proc/self/environ'));
console.log('copied');
