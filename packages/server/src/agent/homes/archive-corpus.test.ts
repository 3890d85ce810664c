// The hostile corpus, as zip and as tar: each archive is refused as a whole, or confined to its
// target folder.
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fail } from '../../core/domain/errors.ts';
import { type MadeEntry, makeTar, makeTarGz, makeZip } from '../../../test/support/archive-maker.ts';
import { openFileCount, treeOf, untilOpenFiles } from '../../../test/support/files-fixture.ts';
import { formats, makers, makeUploads, mebibyte } from '../../../test/support/upload-fixture.ts';

const file = (name: string): MadeEntry => ({ name, content: 'x' });
const link = (name: string, target: string): MadeEntry => ({ name, type: '2', target });
const hardLink = (name: string, target: string): MadeEntry => ({ name, type: '1', target });
const invalidName = 'archive holds a name that is not valid';
const leadsOut = 'archive holds a link that leads out of the folder';
const special = 'archive holds a device, pipe or socket';
const noFile = 'archive holds a hard link to no file of its own';
const twice = 'archive holds two entries of the same name';
const parent = 'archive holds a file where it also holds a folder';

/** Hostile archives and the expected errors; entries before the hostile one must leave no trace. */
const corpus: [string, MadeEntry[], string][] = [
  ['..', [file('../x')], invalidName],
  ['.. inside', [file('a/../../x')], invalidName],
  ['.. alone', [file('..')], invalidName],
  ['absolute', [file('/etc/cron.d/x')], invalidName],
  ['NUL', [file('a\0b')], invalidName],
  ['empty part', [file('a//b')], invalidName],
  ['no name', [file('.')], invalidName],
  ['empty name', [file('')], invalidName],
  ['bytes that are no text', [{ name: 'x', nameBytes: Buffer.from([0x63, 0xe9]), content: 'x' }], invalidName],
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
  ['links in a row', [link('a', 'b'), link('b', '..')], leadsOut],
  ['link, then folder', [link('l', 'a'), { name: 'l/', type: '5' }], twice],
  ['device', [{ name: 'd', type: '3' }], special],
  ['block device', [{ name: 'd', type: '4' }], special],
  ['pipe', [{ name: 'p', type: '6' }], special],
  ['socket', [{ name: 's', type: 'socket' }], special],
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
  ['hard link to a link', [link('l', 'a'), hardLink('h', 'l')], noFile],
  ['hard link through a link', [file('a/b'), link('l', 'a'), hardLink('h', 'l/b')], noFile],
  ['hard link to itself', [hardLink('h', 'h')], noFile],
  ['unknown type', [{ name: 'a', type: 'Z' }], special],
  ['wrong checksum', [{ name: 'a', claimedChecksum: 1 }], 'archive is damaged: a checksum does not match'],
  ['size below zero', [{ name: 'a', content: 'x', claimedSize: -512 }], 'archive is damaged: an entry has no size'],
  ['size beyond the end', [{ name: 'a', content: 'x', claimedSize: 5000 }], 'archive is cut off'],
];
const damaged = 'archive is damaged or not of the given type';
const zipCorpus: [string, MadeEntry[], string][] = [
  ['backslash of another system', [{ ...file('..\\x'), madeOn: 0 }], invalidName],
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

test('refuses a million entries: a zip by their declared number, a stream when there are too many', async (t) => {
  const { upload, home } = await makeUploads(t);
  const tooMany = fail.invalidInput('archive', 'holds more than 100000 entries');
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(1_000_000n, 32);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeUInt32LE(0x06054b50, 76);
  await assert.rejects(upload('zip', end), tooMany);

  const folders = Array.from({ length: 10_000 }, (): MadeEntry => ({ name: 'd/', type: '5' }));
  const part = gzipSync(makeTar(folders).subarray(0, -1024));
  const million = [...Array.from({ length: 100 }, () => part), gzipSync(Buffer.alloc(1024))];
  await assert.rejects(upload('tar.gz', million), tooMany);
  assert.deepEqual(readdirSync(home), ['old.txt']);
});

test('a zip whose entries are all made of the same bytes is as large as what it unpacks to', async (t) => {
  const { upload, home } = await makeUploads(t);
  const one = makeZip([{ name: 'b00', content: Buffer.alloc(mebibyte) }]);
  const end = Buffer.from(one.subarray(-22));
  const place = end.readUInt32LE(16);
  const entries = Array.from({ length: 12 }, (_, index) => {
    const entry = Buffer.from(one.subarray(place, -22));
    entry.write(String(index).padStart(2, '0'), 47);
    return entry;
  });
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(entries).length, 12);
  const archive = (count: number) => {
    end.writeUInt16LE(count, 10);
    return Buffer.concat([one.subarray(0, place), ...entries, end]);
  };
  await assert.rejects(upload('zip', archive(12)), fail.fileTooLarge(10));
  assert.deepEqual(readdirSync(home), ['old.txt']);
  // A count that is too low hides the others.
  assert.equal((await upload('zip', archive(3))).filesWritten, 3);
});

test('a wrong checksum at the end of a compressed stream is found', async (t) => {
  const { upload, home } = await makeUploads(t);
  const archive = makeTarGz([file('a')]);
  archive.writeUInt32LE((archive.readUInt32LE(archive.length - 8) ^ 1) >>> 0, archive.length - 8);
  await assert.rejects(upload('tar.gz', archive), { code: 'invalid_input' });
  assert.deepEqual(readdirSync(home), ['old.txt']);
});

for (const format of formats) {
  test(`${format}: what only looks like a way out is an ordinary name; rights above 0777 are dropped`, async (t) => {
    const { upload, home, outside } = await makeUploads(t);
    const names = ['..\\x', '\\x', 'C:\\x', '...', '~', '-rf', 'a\nb', '\u202e'];
    const risky = [
      { name: 'run', content: 'x', mode: 0o7777 },
      { name: 'folder/', type: '5', mode: 0o7777 },
    ];
    await upload(format, makers[format]([...names.map(file), ...risky]));
    assert.deepEqual(readdirSync(home).sort(), [...names, 'folder', 'old.txt', 'run'].sort());
    for (const name of ['run', 'folder']) assert.equal(lstatSync(join(home, name)).mode & 0o7777, 0o777, name);
    assert.deepEqual(readdirSync(outside), []);
  });

  test(`${format}: links of the bot are replaced or refused, never followed`, async (t) => {
    const { upload, home, outside } = await makeUploads(t);
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(outside, join(home, 'way'));
    symlinkSync(join(outside, 'secret'), join(home, 'file'));
    await assert.rejects(upload(format, makers[format]([file('way/x')])), fail.pathTaken('way'));
    await assert.rejects(upload(format, makers[format]([file('x')]), { path: 'way' }), { code: 'invalid_input' });
    await upload(format, makers[format]([file('file'), link('to', 'way')]));
    assert.equal(lstatSync(join(home, 'file')).isFile(), true);
    await upload(format, makers[format]([file('way/x')]), { mirror: true });
    assert.deepEqual(treeOf(home), { 'way/': '', 'way/x': 'x' });
    assert.deepEqual(treeOf(outside), { secret: 'secret' });
  });
}

test('a stream of padding that never ends is a bomb too', async (t) => {
  const { upload } = await makeUploads(t);
  const part = gzipSync(Buffer.alloc(10 * mebibyte));
  const padding = [gzipSync(makeTar([file('a')])), ...Array.from({ length: 50 }, () => part)];
  await assert.rejects(upload('tar.gz', padding), fail.fileTooLarge(10));
});
