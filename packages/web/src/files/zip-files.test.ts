// What was packed can be unpacked as it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { zipFiles } from './zip-files.ts';

test('files with folders, empty ones and names of all alphabets', async () => {
  const contents: Record<string, string> = {
    'index.js': 'console.log(1)',
    'src/ação.txt': 'olá',
    'empty.txt': '',
    'big.bin': 'x'.repeat(300_000),
  };
  const files = Object.entries(contents).map(([path, text]) => ({ path, file: new File([text], path) }));
  const zip = await zipFiles(files);
  const unpacked = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  const texts = Object.entries(unpacked).map(([path, bytes]) => [path, strFromU8(bytes)]);
  assert.deepEqual(Object.fromEntries(texts), contents);
});
