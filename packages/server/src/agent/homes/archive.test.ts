// Uploaded archives: ordinary ones arrive unchanged and replace existing files by the rules.
// Hostile ones: archive-corpus.test.ts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { fail } from '../../core/domain/errors.ts';
import { type MadeEntry, makeZip } from '../../../test/support/archive-maker.ts';
import { treeOf } from '../../../test/support/files-fixture.ts';
import { formats, makers, makeUploads } from '../../../test/support/upload-fixture.ts';

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
      // A regular file whose name ends in a slash is a folder, as in other tar readers.
      examples: formats.flatMap((format): [string, typeof format][] => [
        [' /', format],
        ['a/', format],
        ['ä/', format],
      ]),
    },
  );
});
