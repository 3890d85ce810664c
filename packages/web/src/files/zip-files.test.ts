// Zips unpack to what was packed.
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

test('files of 1970 too; how far it is, and no further than it is wanted', async () => {
  const files = ['a', 'b', 'c'].map((path) => ({ path, file: new File(['x'.repeat(100)], path, { lastModified: 0 }) }));
  const parts: number[] = [];
  const stop = new AbortController();
  const onProgress = (part: number) => void parts.push(part);
  await zipFiles(files, { onProgress, signal: stop.signal });
  assert.deepEqual(parts, [1 / 3, 2 / 3, 1]);
  const cut = zipFiles(files, { onProgress: () => stop.abort(), signal: stop.signal });
  await assert.rejects(cut, { name: 'AbortError' });
});
