// Written archives, read back exactly by other programs, including archives beyond the limits of
// the original zip format.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { PackedEntry } from './archive-entry.ts';
import { pack, zipFolder } from './archive-writer.ts';
import { freeWork, makeFiles, openFileCount, treeOf, untilOpenFiles } from '../../../test/support/files-fixture.ts';
import { tarOf } from './tar-writer.ts';
import { entriesBelow } from './tree-source.ts';
import { openRoot } from './walk.ts';
import { zipEntries } from './zip-entries.ts';
import { zipOf } from './zip-writer.ts';

const names = [
  'plain',
  'ü \n"\'',
  'a\\b',
  '%22',
  '.hidden',
  `${'long'.repeat(60)}.txt`,
  `deep/${'d'.repeat(200)}/ü`,
  '😀',
];

/** A folder with files of these names, links, and entries that no archive takes. */
function makeSource(t: TestContext): { source: string; directory: string } {
  const { directory } = makeFiles(t);
  const source = join(directory, 'source');
  mkdirSync(join(source, 'deep', 'd'.repeat(200)), { recursive: true });
  for (const name of names) writeFileSync(join(source, name), name.repeat(20));
  writeFileSync(join(source, 'program'), '', { mode: 0o755 });
  utimesSync(join(source, 'program'), 1_700_000_001, 1_700_000_001);
  mkdirSync(join(source, 'empty'));
  symlinkSync('../plain', join(source, 'deep/link'));
  return { source, directory };
}

async function packed(folder: string, format: 'zip' | 'tar.gz'): Promise<Buffer> {
  await using root = await openRoot(folder);
  return await buffer(pack(entriesBelow(root, freeWork), format, () => undefined));
}

test('a zip file is read by others as it was written', async (t) => {
  const { source, directory } = makeSource(t);
  const path = join(directory, 'made.zip');
  writeFileSync(path, await packed(source, 'zip'));
  const read = execFileSync('python3', ['-c', readZip, path], { encoding: 'utf8' });
  const found = new Map(JSON.parse(read).map((entry: { name: string }) => [entry.name, entry])) as Map<string, object>;
  for (const name of names) {
    assert.deepEqual(found.get(name), { name, content: name.repeat(20), mode: 0o100644 }, name);
  }
  assert.deepEqual(found.get('deep/link'), { name: 'deep/link', content: '../plain', mode: 0o120777 });
  assert.deepEqual(found.get('empty/'), { name: 'empty/', content: '', mode: 0o040755 });
  assert.equal(found.size, names.length + 5);
  for await (const entry of zipEntries(path, 100)) {
    if (entry.name === 'program')
      assert.deepEqual([entry.mode, entry.modifiedAt], [0o755, new Date(1_700_000_001_000)]);
  }
});

test('a tar file is unpacked by others as it was written', async (t) => {
  const { source, directory } = makeSource(t);
  const target = join(directory, 'target');
  mkdirSync(target);
  execFileSync('tar', ['-xz', '-C', target], { input: await packed(source, 'tar.gz') });
  assert.deepEqual(treeOf(target), treeOf(source));
  const { mode, mtimeMs } = statSync(join(target, 'program'));
  assert.deepEqual([mode & 0o777, mtimeMs], [0o755, 1_700_000_001_000]);
});

test('leaves out what can not be carried, or not be unpacked', async (t) => {
  const { directory } = makeFiles(t);
  const source = join(directory, 'source');
  mkdirSync(join(source, 'in'), { recursive: true });
  writeFileSync(join(source, 'kept'), '');
  linkSync(join(source, 'kept'), join(source, 'kept-too'));
  writeFileSync(Buffer.concat([Buffer.from(`${source}/`), Buffer.from([0xff])]), '');
  execFileSync('mkfifo', [join(source, 'fifo')]);
  for (const [name, to] of [
    ['absolute', '/etc/passwd'],
    ['in/up', '../../x'],
    ['self', 'self'],
  ] as const)
    symlinkSync(to, join(source, name));
  for (const name of ['C:x', '\\x', '..\\x']) writeFileSync(join(source, name), '');
  const listed = (archive: Buffer) => execFileSync('tar', ['-tz'], { input: archive, encoding: 'utf8' });
  assert.deepEqual(
    listed(await packed(source, 'tar.gz'))
      .trim()
      .split('\n')
      .toSorted(),
    ['..\\\\x', 'C:x', '\\\\x', 'in/', 'kept', 'kept-too'],
  );
  const path = join(directory, 'made.zip');
  writeFileSync(path, await packed(source, 'zip'));
  const found: string[] = [];
  for await (const { name } of zipEntries(path, 100)) found.push(name);
  assert.deepEqual(found.toSorted(), ['in/', 'kept', 'kept-too']);
});

test('more entries and larger sizes than 16 and 32 bits count', async (t) => {
  const { directory, home } = makeFiles(t);
  mkdirSync(home, { recursive: true });
  const stats = statSync(home, { bigint: true });
  const path = join(directory, 'made.zip');
  const entryOf = (name: string, size: bigint, kind: PackedEntry['kind']): PackedEntry => ({
    name,
    kind,
    target: '',
    stats: Object.assign(Object.create(stats), { size, mtime: stats.mtime }),
    async *content() {
      yield Buffer.from(name);
    },
  });
  async function* entries() {
    // A file seen with this size is written with 64-bit lengths, however much is read.
    yield entryOf('large', 2n ** 33n, 'file');
    for (let index = 0; index < 70_000; index++) yield entryOf(String(index), 0n, 'folder');
    yield entryOf('last', 4n, 'file');
  }
  writeFileSync(path, await buffer(zipOf(entries())));
  const count =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(len(z.namelist()), z.read("large"), z.read("last"))';
  assert.equal(execFileSync('python3', ['-c', count, path], { encoding: 'utf8' }), "70002 b'large' b'last'\n");
});

test('a file that becomes shorter is filled up in a tar stream', async (t) => {
  const { directory } = makeFiles(t);
  const source = join(directory, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'file'), 'x'.repeat(200_000));
  await using root = await openRoot(source);
  async function* shrinking(): AsyncGenerator<PackedEntry> {
    for await (const entry of entriesBelow(root, freeWork)) {
      truncateSync(join(source, 'file'), 1000);
      yield { ...entry, name: 'file', target: '' };
    }
  }
  const archive = await buffer(tarOf(shrinking()));
  const read = execFileSync('tar', ['-xO'], { input: archive });
  assert.deepEqual(read, Buffer.concat([Buffer.from('x'.repeat(1000)), Buffer.alloc(199_000)]));
});

test('a stream that is dropped, at its beginning or in the middle, leaves no file open', async (t) => {
  const { directory } = makeFiles(t);
  writeFileSync(join(directory, 'file'), Buffer.alloc(5_000_000, 1));
  const before = openFileCount();
  zipFolder(await openRoot(directory), freeWork).destroy();
  const begun = zipFolder(await openRoot(directory), freeWork);
  for await (const chunk of begun) {
    assert.ok(chunk.length > 0);
    break;
  }
  await untilOpenFiles(before);
  assert.deepEqual(readdirSync(directory).includes('file'), true);
});

const readZip = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(json.dumps([{"name": i.orig_filename, "content": z.read(i).decode(), "mode": i.external_attr >> 16} for i in z.infolist()]))
`;
