// Creating folders, moving, copying, packing and unpacking within a home: effects, refusals, and no
// leftovers of failures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { fail } from '../../core/domain/errors.ts';
import { makeTar, makeTarGz, makeZip } from '../../../test/support/archive-maker.ts';
import { BotFiles } from './bot-files.ts';
import { limitOf, makeFiles, openFileCount, treeOf, untilOpenFiles } from '../../../test/support/files-fixture.ts';

const disk = limitOf(10_000_000);

/** A home with a file, a folder of files and links of every kind. */
async function makeHome(t: TestContext) {
  const made = makeFiles(t);
  await made.homes.prepare(made.bot);
  const { home } = made;
  writeFileSync(join(home, 'file'), 'file', { mode: 0o755 });
  mkdirSync(join(home, 'folder/inner'), { recursive: true });
  writeFileSync(join(home, 'folder/inner/one'), '1');
  writeFileSync(join(home, 'folder/two'), '22');
  symlinkSync('inner/one', join(home, 'folder/link'));
  symlinkSync(made.outside, join(home, 'out'));
  writeFileSync(join(made.outside, 'secret'), 'secret');
  return made;
}

const folderTree = { 'inner/': '', 'inner/one': '1', link: '-> inner/one', two: '22' };

test('makes a folder and those above it', async (t) => {
  const { files, bot, home } = await makeHome(t);
  await files.makeFolder(bot, 'new/deep');
  const stats = lstatSync(join(home, 'new/deep'));
  assert.deepEqual([stats.isDirectory(), stats.uid, stats.mode & 0o777], [true, bot.uid, 0o755]);
  for (const path of ['new/deep', 'file', 'out'])
    await assert.rejects(files.makeFolder(bot, path), fail.pathTaken(path));
});

test('moves files, folders and links, making the folders that they go into', async (t) => {
  const { files, bot, home, outside } = await makeHome(t);
  await files.move(bot, 'folder', 'a/b');
  await files.move(bot, 'file', 'a/b/inner/file');
  await files.move(bot, 'out', 'a/out');
  assert.deepEqual(treeOf(home), {
    'a/': '',
    'a/b/': '',
    'a/b/inner/': '',
    'a/b/inner/file': 'file',
    'a/b/inner/one': '1',
    'a/b/link': '-> inner/one',
    'a/b/two': '22',
    'a/out': `-> ${outside}`,
  });
  assert.equal(lstatSync(join(home, 'a')).uid, bot.uid);
});

test('copies files, folders and links as they are', async (t) => {
  const { files, bot, home, outside, staging } = await makeHome(t);
  execFileSync('mkfifo', [join(home, 'folder/fifo')]);
  // A stage that contains a file of this name must not be taken for an interrupted one.
  writeFileSync(join(home, 'journal'), '{}');
  const before = openFileCount();
  assert.equal(await files.copy(bot, { from: 'file', to: 'copies/file', disk }), 1);
  assert.equal(await files.copy(bot, { from: 'folder', to: 'copies/folder', disk }), 3);
  assert.equal(await files.copy(bot, { from: 'out', to: 'copies/out', disk }), 1);
  assert.equal(await files.copy(bot, { from: 'journal', to: 'copies/journal', disk }), 1);
  assert.equal(await files.copy(bot, { from: 'folder', to: 'folder/inner/again', disk }), 3);
  assert.deepEqual(treeOf(join(home, 'folder/inner/again')), folderTree);
  const { 'inner/again/': again, ...rest } = treeOf(join(home, 'copies'));
  assert.equal(again, undefined);
  assert.deepEqual(rest, {
    file: 'file',
    'folder/': '',
    ...Object.fromEntries(Object.entries(folderTree).map(([name, content]) => [`folder/${name}`, content])),
    journal: '{}',
    out: `-> ${outside}`,
  });
  const stats = lstatSync(join(home, 'copies/file'));
  assert.deepEqual([stats.uid, stats.gid, stats.mode & 0o7777], [bot.uid, bot.uid, 0o755]);
  assert.equal(lstatSync(join(home, 'copies/out')).uid, bot.uid);
  assert.deepEqual(readdirSync(staging), []);
  await untilOpenFiles(before);
});

test('copies names that are no text', async (t) => {
  const { files, bot, home } = await makeHome(t);
  const name = Buffer.from([0xff, 0x0a]);
  writeFileSync(Buffer.concat([Buffer.from(`${home}/folder/`), name]), 'bytes');
  assert.equal(await files.copy(bot, { from: 'folder', to: 'copy', disk }), 4);
  assert.equal(readFileSync(Buffer.concat([Buffer.from(`${home}/copy/`), name]), 'utf8'), 'bytes');
});

test('packs and unpacks within the home', async (t) => {
  const { files, bot, home } = await makeHome(t);
  for (const name of ['all.zip', 'all.tar.gz', 'all.tgz', 'folder/all.zip']) {
    assert.equal(
      await files.compress(bot, { paths: ['file', 'folder', 'folder/two', 'out'], to: name, disk }),
      4,
      name,
    );
    assert.equal(await files.extract(bot, { path: name, to: `${name}.d`, overwrite: false, disk }), 4);
    const { file, ...rest } = treeOf(join(home, `${name}.d`));
    assert.equal(file, 'file');
    assert.deepEqual(Object.keys(rest), ['folder/', ...Object.keys(folderTree).map((key) => `folder/${key}`)]);
    await files.delete(bot, [name, `${name}.d`]);
  }
  // Names are relative to the common folder.
  assert.equal(await files.compress(bot, { paths: ['folder/two', 'folder/inner/one'], to: 'some.zip', disk }), 2);
  await files.extract(bot, { path: 'some.zip', to: '', overwrite: false, disk });
  assert.deepEqual(
    [readFileSync(join(home, 'two'), 'utf8'), readFileSync(join(home, 'inner/one'), 'utf8')],
    ['22', '1'],
  );
  assert.equal(lstatSync(join(home, 'some.zip')).uid, bot.uid);
  await assert.rejects(files.extract(bot, { path: 'some.zip', to: '', overwrite: false, disk }), (error: Error) =>
    /^"(two|inner\/one)" already exists$/.test(error.message),
  );
  assert.equal(await files.extract(bot, { path: 'some.zip', to: '', overwrite: true, disk }), 2);
});

test('refuses what is missing, taken, outside or special, and changes nothing', async (t) => {
  const { files, bot, home, outside, staging } = await makeHome(t);
  execFileSync('mkfifo', [join(home, 'fifo')]);
  writeFileSync(join(home, 'a.zip'), makeZip([{ name: 'x' }]));
  const before = treeOf(join(home, 'folder'));
  const notValid = (field: string) => fail.invalidInput(field, 'is not valid');
  const open = openFileCount();
  for (const path of ['..', '/x', 'a//b', 'a\0', 'out/secret', 'out/new', 'file/x', '\uFFFD']) {
    await assert.rejects(files.move(bot, 'file', path), path === 'file/x' ? /inside/ : notValid('to'), path);
    await assert.rejects(files.copy(bot, { from: 'file', to: path, disk }), notValid('to'), path);
    await assert.rejects(files.compress(bot, { paths: ['file'], to: `${path}/a.zip`, disk }), notValid('to'), path);
    await assert.rejects(files.extract(bot, { path: 'a.zip', to: path, overwrite: true, disk }), notValid('to'), path);
    await assert.rejects(files.makeFolder(bot, path), notValid('path'), path);
    if (path === 'out/new') continue;
    await assert.rejects(files.move(bot, path, 'new'), notValid('from'), path);
    await assert.rejects(files.copy(bot, { from: path, to: 'new', disk }), notValid('from'), path);
    await assert.rejects(
      files.compress(bot, { paths: ['file', path], to: 'new.zip', disk }),
      notValid('paths[1]'),
      path,
    );
    await assert.rejects(
      files.extract(bot, { path: `${path}/a.zip`, to: '', overwrite: true, disk }),
      notValid('path'),
    );
  }
  for (const from of ['missing', 'folder/missing', 'missing/x']) {
    await assert.rejects(files.move(bot, from, 'new'), fail.fileNotFound());
    await assert.rejects(files.copy(bot, { from, to: 'new', disk }), fail.fileNotFound());
    await assert.rejects(files.compress(bot, { paths: [from], to: 'new.zip', disk }), fail.fileNotFound());
    await assert.rejects(
      files.extract(bot, { path: `${from}.zip`, to: '', overwrite: true, disk }),
      fail.fileNotFound(),
    );
  }
  for (const to of ['folder', 'file', 'out', 'fifo']) {
    await assert.rejects(files.move(bot, 'folder/two', to), fail.pathTaken(to));
    await assert.rejects(files.copy(bot, { from: 'folder/two', to, disk }), fail.pathTaken(to));
  }
  await assert.rejects(files.compress(bot, { paths: ['file'], to: 'a.zip', disk }), fail.pathTaken('a.zip'));
  await assert.rejects(files.move(bot, 'folder', 'folder/inner/x'), { field: 'to' });
  await assert.rejects(files.copy(bot, { from: 'fifo', to: 'new', disk }), notValid('from'));
  await assert.rejects(files.compress(bot, { paths: ['file'], to: 'a.rar', disk }), { field: 'to' });
  await assert.rejects(files.extract(bot, { path: 'file', to: '', overwrite: true, disk }), { field: 'path' });
  symlinkSync('a.zip', join(home, 'link.zip'));
  await assert.rejects(files.extract(bot, { path: 'link.zip', to: '', overwrite: true, disk }), notValid('path'));
  assert.deepEqual(treeOf(join(home, 'folder')), before);
  assert.deepEqual(readdirSync(home).toSorted(), ['a.zip', 'fifo', 'file', 'folder', 'link.zip', 'out']);
  assert.deepEqual([readdirSync(outside), readdirSync(staging)], [['secret'], []]);
  await untilOpenFiles(open);
});

test('stays within the disk, and leaves nothing of what does not', async (t) => {
  const { files, bot, home, staging } = await makeHome(t);
  const noise = Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * 7919 * (index >> 3)) & 0xff));
  for (const index of [0, 1, 2, 3]) writeFileSync(join(home, `folder/${index}`), noise);
  writeFileSync(join(home, 'bomb.zip'), makeZip([{ name: 'x', content: Buffer.alloc(200_000) }]));
  const before = treeOf(home);
  const small = { bytes: 20_000, error: () => fail.diskLimit(1, 1) };
  await assert.rejects(files.copy(bot, { from: 'folder', to: 'copy', disk: small }), fail.diskLimit(1, 1));
  await assert.rejects(
    files.extract(bot, { path: 'bomb.zip', to: 'x', overwrite: true, disk: small }),
    fail.diskLimit(1, 1),
  );
  for (const to of ['a.zip', 'a.tar.gz']) {
    await assert.rejects(
      files.compress(bot, { paths: ['folder'], to, disk: { ...small, bytes: 100 } }),
      fail.diskLimit(1, 1),
    );
  }
  assert.deepEqual([treeOf(home), readdirSync(staging)], [before, []]);
});

test('archives of the home that break the rules change nothing', async (t) => {
  const { files, bot, home, outside, staging } = await makeHome(t);
  const hostile = [
    [{ name: '../x' }],
    [{ name: '/x' }],
    [{ name: 'a' }, { name: 'a' }],
    [{ name: 'l', type: '2', target: outside }],
    [{ name: 'd', type: '3' }],
    [{ name: 'a', content: 'x', claimedChecksum: 1 }],
  ];
  for (const [name, make] of [
    ['bad.zip', makeZip],
    ['bad.tar', makeTar],
    ['bad.tar.gz', makeTarGz],
  ] as const) {
    for (const entries of hostile) {
      writeFileSync(join(home, name), make([{ name: 'first', content: '1' }, ...entries]));
      const before = treeOf(home);
      const extract = files.extract(bot, { path: name, to: '', overwrite: true, disk });
      await assert.rejects(extract, { code: 'invalid_input', field: 'archive' }, `${name} ${JSON.stringify(entries)}`);
      assert.deepEqual([treeOf(home), readdirSync(staging), readdirSync(outside)], [before, [], ['secret']]);
    }
  }
});

test('changes at the same time happen one after the other', async (t) => {
  const { files, bot, home } = await makeHome(t);
  const moves = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => files.move(bot, 'file', `to-${index}`)),
  );
  assert.equal(moves.filter(({ status }) => status === 'fulfilled').length, 1);
  const copies = await Promise.allSettled(
    Array.from({ length: 20 }, () => files.copy(bot, { from: 'folder', to: 'same', disk })),
  );
  assert.equal(copies.filter(({ status }) => status === 'fulfilled').length, 1);
  const reasons = copies.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  assert.deepEqual(new Set(reasons), new Set(['already_exists']));
  assert.deepEqual(treeOf(join(home, 'same')), folderTree);
});

test('files of a form arrive together or not at all', async (t) => {
  const { files, bot, home, staging } = await makeHome(t);
  const sent = async function* (...all: [string, string][]) {
    for (const [name, content] of all) yield { name, content: Readable.from([Buffer.from(content)]) };
  };
  const upload = (...all: [string, string][]) =>
    files.uploadFiles(bot, { path: 'up', files: sent(...all), overwrite: true, mirror: false, disk: limitOf(100) });
  assert.deepEqual(await upload(['a', '1'], ['./b/c', '22']), { filesWritten: 2, bytesWritten: 3, filesDeleted: 0 });
  const up = { a: '1', 'b/': '', 'b/c': '22' };
  assert.deepEqual(treeOf(join(home, 'up')), up);
  const fault = (text: string) => fail.invalidInput('upload', text);
  await assert.rejects(upload(), fault('holds no files'));
  await assert.rejects(upload(['x', '1'], ['x', '2']), fault('holds two entries of the same name'));
  await assert.rejects(upload(['x', '1'], ['x/y', '2']), fault('holds a file where it also holds a folder'));
  for (const name of ['', '..', '../x', '/x', 'a\0']) {
    await assert.rejects(upload(['new', '1'], [name, '2']), fault('holds a name that is not valid'), name);
  }
  await assert.rejects(upload(['new', '1'], ['large', 'x'.repeat(100)]), { code: 'too_large' });
  assert.deepEqual([treeOf(join(home, 'up')), readdirSync(staging)], [up, []]);
});

test('a copy that was cut off is cleared, whatever it holds', async (t) => {
  const { homes, home, staging } = await makeHome(t);
  const stage = await homes.staging.create();
  mkdirSync(join(stage.path, 'tree'));
  writeFileSync(join(stage.path, 'tree/journal'), '{"botId":"x"}');
  await stage.folder.close();
  const before = treeOf(home);
  assert.deepEqual(await new BotFiles({ homes }).recover(), []);
  assert.deepEqual([treeOf(home), readdirSync(staging)], [before, []]);
});
