// Imports the test files that its arguments name: many files in one process, which starts once for
// all of them. Each is a suite of its own, so that hooks of one never run for another.
import { resolve } from 'node:path';
import { suite } from 'node:test';

for (const file of process.argv.slice(2)) suite(file, () => import(resolve(file)));
