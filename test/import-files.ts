// Imports the test files that its arguments name: many small files in one process, which starts
// once for all of them.
import { resolve } from 'node:path';

for (const file of process.argv.slice(2)) await import(resolve(file));
