// Zips of other tools: listed, and renamed without unpacking.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { readZip, readZipText, renameInZip } from './zip-file.ts';

const long = 'hello '.repeat(500);
const made = zipSync({
  'top/': new Uint8Array(),
  'top/a.txt': [strToU8(long), { level: 9, os: 3, attrs: 0o100755 << 16 }],
  'top/sub/ä.txt': [strToU8('stored'), { level: 0 }],
});
const zip = new Blob([new Uint8Array(made)]);

test('files are listed without their folders, and read', async () => {
  const entries = (await readZip(zip)) ?? [];
  assert.deepEqual(
    entries.map(({ path, size }) => [path, size]),
    [
      ['top/a.txt', 3000],
      ['top/sub/ä.txt', 6],
    ],
  );
  const texts = await Promise.all(entries.map((entry) => readZipText(zip, entry)));
  assert.deepEqual(texts, [long, 'stored']);
});

test('a renamed one holds the same bytes under other names, and who may run them', async () => {
  const entries = (await readZip(zip)) ?? [];
  const files = entries.map((entry) => ({ entry, path: entry.path.slice('top/'.length) }));
  const renamed = await renameInZip(zip, files);
  const unpacked = unzipSync(new Uint8Array(await renamed.arrayBuffer()));
  const texts = Object.entries(unpacked).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
  assert.deepEqual(texts, [
    ['a.txt', long],
    ['sub/ä.txt', 'stored'],
  ]);
  const [first] = (await readZip(renamed)) ?? [];
  assert.ok(first);
  assert.equal(new DataView(first.record.buffer).getUint32(38, true) >>> 16, 0o100755);
  assert.equal(await readZipText(renamed, first), long);
});

test('what is no plain zip can’t be read', async () => {
  assert.equal(await readZip(new Blob(['not a zip'])), null);
  assert.equal(await readZip(new Blob([])), null);
  assert.equal(await readZip(zip.slice(0, zip.size - 1)), null);
  const encrypted = new Uint8Array(made);
  const directory = new DataView(encrypted.buffer, encrypted.length - 22).getUint32(16, true);
  encrypted[directory + 8] = 1;
  assert.equal(await readZip(new Blob([encrypted])), null);
});
