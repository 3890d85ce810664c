// File operations on a bot's home, refusals, and a bot that swaps folders and links meanwhile.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { fail } from '../../core/domain/errors.ts';
import { makeZip } from '../../../test/support/archive-maker.ts';
import { limitOf, makeFiles, openFileCount, treeOf, untilOpenFiles } from '../../../test/support/files-fixture.ts';

const text = (content: string) => Readable.from([Buffer.from(content)]);

test('writes, lists, reads and deletes files of the bot user', async (t) => {
  const { files, bot, home } = makeFiles(t);
  const written = await files.write(bot, { path: 'src/main.js', body: text('hello'), limit: limitOf(100) });
  assert.equal(written.sizeBytes, 5);
  const stats = lstatSync(join(home, 'src/main.js'));
  assert.deepEqual([stats.uid, stats.gid, stats.mode & 0o7777], [bot.uid, bot.uid, 0o644]);
  assert.equal(lstatSync(join(home, 'src')).uid, bot.uid);

  const list = await files.reader.list(bot, 'src', { limit: 10, cursor: null });
  assert.deepEqual(
    list.entries.map((entry) => [entry.name, entry.type, entry.sizeBytes, entry.mode]),
    [['main.js', 'file', 5, 0o644]],
  );
  const read = await files.reader.read(bot, 'src/main.js');
  assert.equal((await buffer(read.stream)).toString(), 'hello');
  assert.equal(read.etag, written.etag);

  assert.equal(await files.delete(bot, ['src/main.js', 'src']), 2);
  assert.deepEqual(readdirSync(home), []);
});

test('lists in name order, page by page', async (t) => {
  const { files, bot, home } = makeFiles(t);
  await files.reader.list(bot, '', { limit: 1, cursor: null });
  const names = Array.from({ length: 25 }, (_, index) => `n${String((index * 7) % 25).padStart(2, '0')}`);
  for (const name of names) writeFileSync(join(home, name), '');
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof files.reader.list>> = await files.reader.list(bot, '', { limit: 10, cursor });
    assert.equal(page.count, 25);
    seen.push(...page.entries.map((entry) => entry.name));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(seen, names.toSorted());
  await assert.rejects(
    files.reader.list(bot, '', { limit: 10, cursor: '%' }),
    fail.invalidInput('cursor', 'is not valid'),
  );
});

test('replaces a file only when the conditions hold', async (t) => {
  const { files, bot } = makeFiles(t);
  const first = await files.write(bot, { path: 'a', body: text('1'), limit: limitOf(9), onlyNew: true });
  await assert.rejects(
    files.write(bot, { path: 'a', body: text('2'), limit: limitOf(9), onlyNew: true }),
    fail.pathTaken('a'),
  );
  const second = await files.write(bot, { path: 'a', body: text('2'), limit: limitOf(9), ifMatch: first.etag });
  assert.notEqual(second.etag, first.etag);
  await assert.rejects(
    files.write(bot, { path: 'a', body: text('3'), limit: limitOf(9), ifMatch: first.etag }),
    fail.fileChanged(),
  );
  await assert.rejects(
    files.write(bot, { path: 'b', body: text('3'), limit: limitOf(9), ifMatch: '*' }),
    fail.fileChanged(),
  );
  assert.equal((await buffer((await files.reader.read(bot, 'a')).stream)).toString(), '2');
});

test('leaves nothing of a write that is too large or cut off', async (t) => {
  const { files, bot, home, staging } = makeFiles(t);
  await assert.rejects(files.write(bot, { path: 'a', body: text('12345'), limit: limitOf(4) }), { code: 'too_large' });
  const cut = Readable.from(
    (async function* () {
      yield Buffer.from('1');
      throw new Error('cut');
    })(),
  );
  await assert.rejects(files.write(bot, { path: 'a', body: cut, limit: limitOf(9) }), /cut/);
  assert.deepEqual([readdirSync(home), readdirSync(staging)], [[], []]);
});

test('refuses paths, links and special files on every verb', async (t) => {
  const { files, bot, home, outside } = makeFiles(t);
  await files.reader.list(bot, '', { limit: 1, cursor: null });
  writeFileSync(join(outside, 'secret'), 'secret');
  symlinkSync(outside, join(home, 'folder-link'));
  symlinkSync(join(outside, 'secret'), join(home, 'file-link'));
  symlinkSync('loop', join(home, 'loop'));
  execFileSync('mkfifo', [join(home, 'fifo')]);
  writeFileSync(join(home, 'plain'), '');

  const everyVerb = (path: string) => [
    files.reader.read(bot, path),
    files.write(bot, { path, body: text('x'), limit: limitOf(9) }),
    files.reader.list(bot, path, { limit: 9, cursor: null }),
    files.reader.zip(bot, path),
    files.upload(bot, {
      path,
      body: text(''),
      format: 'zip',
      overwrite: true,
      mirror: true,
      limit: limitOf(9),
      disk: limitOf(9),
    }),
  ];
  const badPaths = [
    '..',
    '../x',
    'a/../b',
    '/etc/passwd',
    'a//b',
    'a/',
    './a',
    'a\0b',
    `${'x'.repeat(256)}`,
    'a/'.repeat(2500) + 'a',
  ];
  for (const path of [
    ...badPaths,
    '\uD800',
    'folder-link/secret',
    'loop/x',
    'plain/x',
    'fifo/x',
    'folder-link',
    'file-link',
    'loop',
    'fifo',
  ]) {
    for (const result of await Promise.allSettled(everyVerb(path))) {
      assert.equal(result.status, 'rejected', path);
      assert.deepEqual([result.reason.message, result.reason.field], ['path is not valid', 'path'], path);
    }
  }
  for (const path of [...badPaths, 'folder-link/secret', 'plain/x']) {
    await assert.rejects(files.delete(bot, ['plain', path]), fail.invalidInput('paths[1]', 'is not valid'), path);
  }
  await assert.rejects(files.delete(bot, ['plain', 'missing']), fail.fileNotFound());
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret');
  // Deleting a link or a pipe deletes only the entry itself.
  await files.delete(bot, ['folder-link', 'file-link', 'loop', 'fifo']);
  assert.deepEqual([readdirSync(home), readdirSync(outside)], [['plain'], ['secret']]);
});

test('deletes trees of any depth and mode', async (t) => {
  const { files, bot, home } = makeFiles(t);
  await files.reader.list(bot, '', { limit: 1, cursor: null });
  execFileSync('python3', [
    '-c',
    'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(500):\n  open("f","w").close()\n  os.mkdir("d"*200,0o700)\n  os.chdir("d"*200)',
    home,
  ]);
  mkdirSync(join(home, 'closed'), { mode: 0o000 });
  const before = openFileCount();
  await files.delete(bot, ['d'.repeat(200), 'f', 'closed']);
  assert.deepEqual(readdirSync(home), []);
  await untilOpenFiles(before);
});

test('adds up used space, hard links once', async (t) => {
  const { files, bot, home, homes } = makeFiles(t);
  assert.deepEqual(await homes.used(bot.id), { bytes: 0, files: 0, complete: true });
  await files.write(bot, { path: 'big', body: text('x'.repeat(100_000)), limit: limitOf(100_000) });
  linkSync(join(home, 'big'), join(home, 'again'));
  const used = await homes.used(bot.id);
  assert.ok(used.complete && used.bytes >= 100_000 && used.bytes < 150_000, String(used.bytes));
});

test('zips a folder without links and special files', async (t) => {
  const { files, bot, home, outside } = makeFiles(t);
  await files.write(bot, { path: 'web/index.html', body: text('<p>'), limit: limitOf(9) });
  await files.write(bot, { path: 'web/css/é \n.css', body: text('*{}'), limit: limitOf(9) });
  mkdirSync(join(home, 'web/empty'));
  symlinkSync(outside, join(home, 'web/link'));
  execFileSync('mkfifo', [join(home, 'web/fifo')]);
  const before = openFileCount();
  const zip = await files.reader.zip(bot, 'web');
  assert.ok(zip);
  const bytes = await buffer(zip);
  assert.equal(await files.reader.zip(bot, 'web/index.html'), null);
  await untilOpenFiles(before);
  await files.upload(bot, {
    path: 'copy',
    body: Readable.from([bytes]),
    format: 'zip',
    overwrite: true,
    mirror: false,
    limit: limitOf(1e6),
    disk: limitOf(1e6),
  });
  assert.deepEqual(treeOf(join(home, 'copy')), {
    'css/': '',
    'css/é \n.css': '*{}',
    'empty/': '',
    'index.html': '<p>',
  });

  const dropped = await files.reader.zip(bot, '');
  dropped?.destroy();
  await assert.rejects(files.reader.zip(bot, 'missing'), fail.fileNotFound());
});

test('a bot that swaps folders and links meanwhile never leads out of its home', async (t) => {
  const { files, bot, home, outside } = makeFiles(t);
  await files.write(bot, { path: 'a/secret', body: text('inside'), limit: limitOf(99) });
  writeFileSync(join(outside, 'secret'), 'OUTSIDE');
  symlinkSync(outside, join(home, 'b'));
  const before = openFileCount();
  const attacker = spawn('python3', ['-c', attackerSource, home], { stdio: 'ignore' });
  const ended = once(attacker, 'exit');
  const planted = makeZip([{ name: 'deep/planted', content: 'planted' }]);
  const archive = {
    path: 'a',
    format: 'zip',
    overwrite: true,
    mirror: false,
    limit: limitOf(999),
    disk: limitOf(999),
  } as const;
  const outcomes = { done: 0, refused: 0 };
  let rounds = 0;
  try {
    const until = Date.now() + 3000;
    while (Date.now() < until) await useEverything();
  } finally {
    attacker.kill('SIGKILL');
    await ended;
  }
  assert.deepEqual(readdirSync(outside), ['secret']);
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'OUTSIDE');
  assert.ok(!JSON.stringify(treeOf(home)).includes('OUTSIDE'));
  assert.ok(outcomes.done > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
  await untilOpenFiles(before);

  async function useEverything() {
    rounds++;
    const results = await Promise.allSettled([
      files.reader.read(bot, 'a/secret').then((read) => buffer(read.stream)),
      files.reader.read(bot, 'b/secret').then((read) => buffer(read.stream)),
      files.write(bot, { path: 'a/planted', body: text('planted'), limit: limitOf(99) }).then(() => Buffer.from('')),
      files.delete(bot, ['a/planted']).then(() => Buffer.from('')),
      files.upload(bot, { ...archive, body: Readable.from([planted]) }).then(() => Buffer.from('')),
      files.reader.zip(bot, '').then((zip) => (zip ? buffer(zip) : Buffer.from(''))),
      files.copy(bot, { from: 'a', to: `copies/a-${rounds}`, disk: limitOf(999) }).then(() => Buffer.from('')),
      files.copy(bot, { from: 'b/secret', to: `copies/b-${rounds}`, disk: limitOf(999) }).then(() => Buffer.from('')),
      files.move(bot, 'a/deep/planted', `copies/moved-${rounds}`).then(() => Buffer.from('')),
      files.move(bot, `copies/moved-${rounds - 1}`, 'a/moved').then(() => Buffer.from('')),
      files.makeFolder(bot, `a/made-${rounds}`).then(() => Buffer.from('')),
      files
        .compress(bot, { paths: ['a', 'b/secret'], to: `copies/${rounds}.zip`, disk: limitOf(99_999) })
        .then(() =>
          files.extract(bot, { path: `copies/${rounds}.zip`, to: `a/x`, overwrite: true, disk: limitOf(9999) }),
        )
        .then(() => Buffer.from('')),
    ]);
    for (const result of results) {
      if (result.status === 'fulfilled') {
        assert.ok(!result.value.includes('OUTSIDE'));
        outcomes.done++;
      } else {
        assert.ok(
          ['invalid_input', 'file_not_found', 'already_exists', 'too_large'].includes(result.reason.code),
          String(result.reason?.stack),
        );
        outcomes.refused++;
      }
    }
  }
});

/** Exchanges the folder `a` and the link `b` as fast as it can (renameat2 with RENAME_EXCHANGE). */
const attackerSource = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
os.chdir(sys.argv[1])
while True:
    libc.renameat2(-100, b"a", -100, b"b", 2)
`;
