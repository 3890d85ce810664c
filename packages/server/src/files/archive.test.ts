// Uploaded archives: ordinary ones arrive as they were, the hostile corpus is refused as a whole.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { fail } from '../domain/errors.ts';
import type { ArchiveBounds } from './archive.ts';
import type { ArchiveFormat } from './archive-entry.ts';
import { type MadeEntry, makeTar, makeTarGz, makeZip } from './archive-maker.ts';
import type { ByteLimit } from './file-content.ts';
import { limitOf, makeFiles, openFileCount, treeOf, untilOpenFiles } from './files-fixture.ts';

const mebibyte = 1024 * 1024;
const makers: Record<ArchiveFormat, (entries: MadeEntry[]) => Buffer> = {
  zip: makeZip,
  tar: makeTar,
  'tar.gz': makeTarGz,
};
const formats = Object.keys(makers) as ArchiveFormat[];

/** A home with one file, and `upload` with everything at its default. */
async function makeUploads(t: TestContext, bounds: Partial<ArchiveBounds> = {}) {
  const made = makeFiles(t, bounds);
  await made.files.write(made.bot, { path: 'old.txt', body: Readable.from([Buffer.from('old')]), limit: limitOf(9) });
  const upload = (
    format: ArchiveFormat,
    archive: Buffer,
    options: { path?: string; overwrite?: boolean; mirror?: boolean; disk?: ByteLimit } = {},
  ) =>
    made.files.upload(made.bot, {
      path: '',
      overwrite: true,
      mirror: false,
      limit: limitOf(100 * mebibyte),
      disk: limitOf(10 * mebibyte),
      ...options,
      format,
      body: Readable.from([archive]),
    });
  return { ...made, upload };
}

for (const format of formats) {
  test(`${format}: unpacks files, folders, modes and links for the bot user`, async (t) => {
    const { upload, home, bot, staging } = await makeUploads(t);
    const result = await upload(
      format,
      makers[format]([
        { name: './', type: '5', mode: 0o700 },
        { name: 'bin/', type: '5', mode: 0o750 },
        { name: './bin/run.sh', content: '#!/bin/sh', mode: 0o4755 },
        { name: 'lib/deep/é\n.txt', content: 'x'.repeat(200_000) },
        { name: 'lib/empty', content: '' },
        { name: 'bin/lib', type: '2', target: '../lib/deep' },
        { name: 'bin/run', type: '2', target: './run.sh' },
      ]),
    );
    assert.deepEqual(result, { filesWritten: 5, bytesWritten: 200_009, filesDeleted: 0 });
    assert.deepEqual(treeOf(home), {
      'bin/': '',
      'bin/lib': '-> ../lib/deep',
      'bin/run': '-> ./run.sh',
      'bin/run.sh': '#!/bin/sh',
      'lib/': '',
      'lib/deep/': '',
      'lib/deep/é\n.txt': 'x'.repeat(200_000),
      'lib/empty': '',
      'old.txt': 'old',
    });
    const modeOf = (path: string) => lstatSync(join(home, path)).mode & 0o7777;
    assert.deepEqual(
      [modeOf('bin/run.sh'), modeOf('bin'), modeOf('lib'), modeOf('lib/empty')],
      [0o755, 0o750, 0o755, 0o644],
    );
    for (const path of ['bin', 'bin/run', 'bin/run.sh', 'lib/deep/é\n.txt'])
      assert.equal(lstatSync(join(home, path)).uid, bot.uid);
    assert.deepEqual(readdirSync(staging), []);
  });
}

test('unpacks what ordinary programs make', async (t) => {
  const { upload, directory, home } = await makeUploads(t);
  const source = join(directory, 'source');
  mkdirSync(join(source, 'a'.repeat(90), 'b'.repeat(90)), { recursive: true });
  writeFileSync(join(source, 'a'.repeat(90), 'b'.repeat(90), 'ü'), 'long');
  writeFileSync(join(source, 'one'), '1');
  execFileSync('ln', [join(source, 'one'), join(source, 'two')]);
  symlinkSync('one', join(source, 'link'));
  for (const style of ['gnu', 'pax', 'ustar']) {
    const archive = execFileSync('tar', ['-c', `--format=${style}`, '-C', source, '.']);
    await upload('tar', archive, { path: style });
    assert.deepEqual(treeOf(join(home, style)), treeOf(source));
    assert.equal(lstatSync(join(home, style, 'one')).nlink, 2);
    await upload('tar.gz', gzipSync(archive), { path: `${style}-gz` });
    assert.deepEqual(treeOf(join(home, `${style}-gz`)), treeOf(source));
  }
  const python =
    'import sys,zipfile; z=zipfile.ZipFile(sys.stdout.buffer,"w",zipfile.ZIP_DEFLATED); z.writestr("p/q.txt","py")';
  await upload('zip', execFileSync('python3', ['-c', python]), { path: 'zip' });
  assert.deepEqual(treeOf(join(home, 'zip')), { 'p/': '', 'p/q.txt': 'py' });
});

const file = (name: string): MadeEntry => ({ name, content: 'x' });
const link = (name: string, target: string): MadeEntry => ({ name, type: '2', target });
const hardLink = (name: string, target: string): MadeEntry => ({ name, type: '1', target });
const invalidName = 'archive holds a name that is not valid';
const leadsOut = 'archive holds a link that leads out of the folder';
const special = 'archive holds a device, pipe or socket';
const noFile = 'archive holds a hard link to no file of its own';
const twice = 'archive holds two entries of the same name';
const parent = 'archive holds a file where it also holds a folder';

/** Hostile archives, with what is said about them; entries before the hostile one must leave no trace. */
const corpus: [string, MadeEntry[], string][] = [
  ['..', [file('../x')], invalidName],
  ['.. inside', [file('a/../../x')], invalidName],
  ['.. alone', [file('..')], invalidName],
  ['absolute', [file('/etc/cron.d/x')], invalidName],
  ['NUL', [file('a\0b')], invalidName],
  ['empty part', [file('a//b')], invalidName],
  ['no name', [file('.')], invalidName],
  ['5000 bytes', [file('x/'.repeat(2499) + 'xx')], invalidName],
  ['part of 256 bytes', [file('x'.repeat(256))], invalidName],
  ['65 deep', [file(`${'d/'.repeat(64)}x`)], 'archive is nested more than 64 deep'],
  ['link to /', [link('l', '/')], leadsOut],
  ['link to ..', [link('l', '..')], leadsOut],
  ['link out of a folder', [link('a/l', '../../x')], leadsOut],
  ['link that comes back', [link('a/l', 'b/../../../x')], leadsOut],
  ['link to itself', [link('l', 'l')], leadsOut],
  ['link to nothing', [link('l', 'a\0')], leadsOut],
  ['entry through a link', [link('l', 'a'), file('a/x'), file('l/y')], twice],
  ['device', [{ name: 'd', type: '3' }], special],
  ['block device', [{ name: 'd', type: '4' }], special],
  ['pipe', [{ name: 'p', type: '6' }], special],
  ['duplicates', [file('a'), file('a')], twice],
  ['duplicates by a dot', [file('a'), file('./a')], twice],
  ['link and file', [file('a'), link('a', 'b')], twice],
  ['file as parent', [file('a'), file('a/b')], parent],
  ['folder, then file', [file('a/b'), file('a')], twice],
];
const tarCorpus: [string, MadeEntry[], string][] = [
  ['hard link outside', [hardLink('h', '/etc/passwd')], noFile],
  ['hard link above', [hardLink('h', '../old.txt')], noFile],
  ['hard link to what was there', [hardLink('h', 'old.txt')], noFile],
  ['hard link to a folder', [file('a/b'), hardLink('h', 'a')], noFile],
  ['unknown type', [{ name: 'a', type: 'Z' }], special],
  ['wrong checksum', [{ name: 'a', claimedChecksum: 1 }], 'archive is damaged: a checksum does not match'],
  ['size beyond the end', [{ name: 'a', content: 'x', claimedSize: 5000 }], 'archive is cut off'],
];
const damaged = 'archive is damaged or not of the given type';
const zipCorpus: [string, MadeEntry[], string][] = [
  ['empty name', [file('')], invalidName],
  ['wrong checksum', [{ ...file('a'), claimedChecksum: 1 }], 'archive is damaged: a checksum does not match'],
  ['larger than it says', [{ name: 'a', content: 'x'.repeat(5000), claimedSize: 1 }], damaged],
  ['smaller than it says', [{ name: 'a', content: 'x', claimedSize: 5000 }], damaged],
  ['link of 5000 bytes', [link('l', 'x'.repeat(5000))], 'archive holds a link that is too long'],
];

for (const format of formats) {
  test(`${format}: refuses the corpus as a whole and leaves the home and the staging as they were`, async (t) => {
    const { upload, home, outside, staging } = await makeUploads(t);
    const before = openFileCount();
    for (const [title, entries, message] of [...corpus, ...(format === 'zip' ? zipCorpus : tarCorpus)]) {
      const archive = makers[format]([file('first'), ...entries, file('last')]);
      await assert.rejects(upload(format, archive), { code: 'invalid_input', message }, title);
      assert.deepEqual(
        [treeOf(home), readdirSync(staging), readdirSync(outside)],
        [{ 'old.txt': 'old' }, [], []],
        title,
      );
    }
    const whole = makers[format]([file('a'), { name: 'b', content: 'y'.repeat(10_000) }]);
    for (const length of [0, 1, 10, 100, 600, whole.length - (format === 'tar.gz' ? 1 : 600)]) {
      const cut = whole.subarray(0, Math.max(0, Math.min(length, whole.length - 1)));
      await assert.rejects(upload(format, cut), { code: 'invalid_input' }, `cut to ${length}`);
    }
    for (const other of formats.filter((name) => name !== format)) {
      await assert.rejects(upload(other, whole), { code: 'invalid_input' }, `${format} as ${other}`);
    }
    assert.deepEqual([treeOf(home), readdirSync(staging)], [{ 'old.txt': 'old' }, []]);
    await untilOpenFiles(before);
  });

  test(`${format}: bounds bytes and entries by what is real`, async (t) => {
    const { upload, home } = await makeUploads(t);
    const bomb = Array.from({ length: 12 }, (_, index) => ({ name: `b${index}`, content: Buffer.alloc(mebibyte) }));
    await assert.rejects(upload(format, makers[format](bomb)), fail.fileTooLarge(10));
    const many = Array.from({ length: 300 }, (_, index) => ({ name: `${`d${index}/`.repeat(50)}f` }));
    await upload(format, makers[format](many.slice(0, 20)), { path: 'few' });
    assert.equal(readdirSync(join(home, 'few')).length, 20);
    assert.deepEqual(readdirSync(home), ['few', 'old.txt']);
  });
}

test('refuses more entries than allowed, also the folders that names imply', async (t) => {
  const { upload, home } = await makeUploads(t, { entries: 500, nameBytes: 100_000 });
  const tooMany = fail.invalidInput('archive', 'holds more than 500 entries');
  const files = Array.from({ length: 501 }, (_, index) => file(String(index)));
  const folders = Array.from({ length: 9 }, (_, index) => file(`${index}/${'d/'.repeat(60)}x`));
  const long = Array.from({ length: 30 }, (_, index) => file(`${`${'n'.repeat(200)}/`.repeat(19)}${index}`));
  for (const format of formats) {
    await assert.rejects(upload(format, makers[format](files)), tooMany);
    await assert.rejects(upload(format, makers[format](folders)), tooMany);
    await assert.rejects(
      upload(format, makers[format](long)),
      fail.invalidInput('archive', 'holds names that are too long'),
    );
  }
  assert.deepEqual(readdirSync(home), ['old.txt']);
});

test('refuses a million entries by the declared number', async (t) => {
  const { upload } = await makeUploads(t);
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(1_000_000n, 32);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeUInt32LE(0x06054b50, 76);
  await assert.rejects(upload('zip', end), fail.invalidInput('archive', 'holds more than 100000 entries'));
});

test('a stream of padding that never ends is a bomb too', async (t) => {
  const { upload } = await makeUploads(t);
  const padding = gzipSync(Buffer.concat([makeTar([file('a')]), Buffer.alloc(500 * mebibyte)]));
  await assert.rejects(upload('tar.gz', padding), fail.fileTooLarge(10));
});

test('overwrites, keeps or mirrors what is there', async (t) => {
  const { upload, home } = await makeUploads(t);
  const first = makeZip([file('a/1'), file('a/2'), file('b/3')]);
  await upload('zip', first, { path: 'app' });
  const second = makeZip([{ name: 'a/1', content: 'new' }, file('c')]);
  await assert.rejects(upload('zip', second, { path: 'app', overwrite: false }), fail.pathTaken('app/a/1'));
  assert.deepEqual(treeOf(join(home, 'app')), { 'a/': '', 'a/1': 'x', 'a/2': 'x', 'b/': '', 'b/3': 'x' });

  await upload('zip', second, { path: 'app' });
  assert.deepEqual(treeOf(join(home, 'app')), { 'a/': '', 'a/1': 'new', 'a/2': 'x', 'b/': '', 'b/3': 'x', c: 'x' });
  await assert.rejects(upload('zip', makeZip([file('b')]), { path: 'app' }), fail.pathTaken('app/b'));

  const result = await upload('zip', makeZip([file('a/1'), file('b')]), { path: 'app', mirror: true });
  assert.deepEqual(result, { filesWritten: 2, bytesWritten: 2, filesDeleted: 3 });
  assert.deepEqual(treeOf(home), { 'app/': '', 'app/a/': '', 'app/a/1': 'x', 'app/b': 'x', 'old.txt': 'old' });
});

test('every name that is accepted comes back as it was', async (t) => {
  const { upload, home } = await makeUploads(t);
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(name, fc.constantFrom(...formats), async (path, format) => {
      const folder = `round-${round++}`;
      try {
        await upload(format, makers[format]([{ name: path, content: path }]), { path: folder });
      } catch (error) {
        assert.equal((error as { field: string }).field, 'archive');
        return;
      }
      const clean = path
        .replace(/\/$/, '')
        .split('/')
        .filter((part) => part !== '.')
        .join('/');
      if (path.endsWith('/')) assert.ok(lstatSync(join(home, folder, clean)).isDirectory());
      else assert.equal(readFileSync(join(home, folder, clean), 'utf8'), path);
    }),
    {
      numRuns: 100,
      // A regular file whose name ends in a slash is a folder, as other readers of tar see it.
      examples: formats.flatMap((format): [string, typeof format][] => [
        [' /', format],
        ['a/', format],
        ['ä/', format],
      ]),
    },
  );
});
