// Backups of homes: content comes back unchanged; and after a kill at any moment, the old or the
// new tree is there, never a mixture or a part.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { BackupStore } from '../backups/backup-store.ts';
import { fail } from '../../core/domain/errors.ts';
import {
  freeWork,
  limitOf,
  makeFiles,
  openFileCount,
  treeOf,
  untilOpenFiles,
} from '../../../test/support/files-fixture.ts';
import { type ApplySettings, HomeBackups } from './home-backups.ts';

const rounds = 12;
const isRecorded = async () => true;

function makeBackups(t: Parameters<typeof makeFiles>[0]) {
  const made = makeFiles(t);
  const { homes, files, bot, directory } = made;
  const backups = new HomeBackups(homes, join(directory, 'restoring'));
  const applied: string[] = [];
  const apply: ApplySettings = async (_, settings) => void applied.push(settings);
  return {
    ...made,
    backups,
    applied,
    pack: (settings: string) => buffer(backups.pack(bot, settings, freeWork)),
    restore: (bytes: Buffer, limitBytes = 1e6) =>
      backups.restore(bot, {
        backup: Readable.from([bytes]),
        limit: limitOf(limitBytes),
        work: freeWork,
        exclusively: (exchange) => files.exclusively(bot.id, exchange),
        apply,
      }),
  };
}

test('files, folders, modes, times and links come back as they were; what was added since is gone', async (t) => {
  const { homes, bot, home, pack, restore, applied, directory } = makeBackups(t);
  await homes.prepare(bot);
  const deep = join(home, ...Array.from({ length: 80 }, (_, depth) => `d${depth}`));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'x'.repeat(200)), 'deep');
  writeFileSync(join(home, 'über uns\n.txt'), 'text');
  writeFileSync(join(home, 'settings.json'), 'mine');
  writeFileSync(join(home, 'journal'), 'mine too');
  writeFileSync(join(home, 'run'), '#!/bin/sh\n');
  chmodSync(join(home, 'run'), 0o751);
  utimesSync(join(home, 'run'), 1e9, 1e9);
  for (const [name, target] of [
    ['in', 'run'],
    ['out', '/usr/bin/python3'],
    ['up', '../../etc/passwd'],
    ['none', 'missing'],
  ] as const)
    symlinkSync(target, join(home, name));
  mkdirSync(join(home, 'empty'));
  const before = treeOf(home);
  execFileSync('mkfifo', [join(home, 'fifo')]);

  const archive = await pack('{"a":1}');
  const open = openFileCount();
  rmSync(join(home, 'd0'), { recursive: true });
  writeFileSync(join(home, 'run'), 'changed');
  writeFileSync(join(home, 'new'), 'new');
  await restore(archive);
  assert.deepEqual(treeOf(home), before);
  assert.deepEqual(applied, ['{"a":1}']);
  const run = lstatSync(join(home, 'run'));
  assert.deepEqual([run.mode & 0o7777, run.mtimeMs], [0o751, 1e12]);
  assert.equal(lstatSync(home).mode & 0o7777, 0o700);
  if (homes.givesAway) {
    for (const name of ['', 'run', 'out', 'd0', 'empty'])
      assert.deepEqual([lstatSync(join(home, name)).uid, lstatSync(join(home, name)).gid], [bot.uid, bot.uid], name);
  }
  assert.deepEqual(readdirSync(join(directory, 'restoring')), []);
  await untilOpenFiles(open);
});

test('other programs can read a backup', async (t) => {
  const { homes, bot, home, pack, directory } = makeBackups(t);
  await homes.prepare(bot);
  writeFileSync(join(home, 'a'), 'b');
  writeFileSync(join(directory, 'archive'), await pack('{}'));
  const listed = execFileSync('tar', ['-tzf', join(directory, 'archive')]).toString();
  assert.equal(listed, 'settings.json\nfiles/\nfiles/a\n');
});

test('a backup that is damaged, of something else or too large leaves the files as they are', async (t) => {
  const { homes, bot, home, pack, restore, applied, directory } = makeBackups(t);
  await homes.prepare(bot);
  writeFileSync(join(home, 'a'), 'x'.repeat(1000));
  const archive = await pack('{}');
  const before = treeOf(home);
  await assert.rejects(restore(archive, 999), /MB/);
  await assert.rejects(restore(archive.subarray(0, archive.length - 20)), /archive is/);
  const bent = Buffer.from(archive);
  bent[bent.length - 6] = (bent[bent.length - 6] ?? 0) ^ 1;
  await assert.rejects(restore(bent), /archive is/);
  execFileSync('tar', ['-czf', join(directory, 'other'), '-C', home, 'a']);
  await assert.rejects(restore(readFileSync(join(directory, 'other'))), /archive is no backup/);
  assert.deepEqual([treeOf(home), applied, readdirSync(join(directory, 'restoring'))], [before, [], []]);
});

test('a restore that is refused at the last moment leaves the files as they are', async (t) => {
  const { homes, bot, home, pack, backups, directory } = makeBackups(t);
  await homes.prepare(bot);
  const archive = await pack('{}');
  writeFileSync(join(home, 'a'), 'b');
  const restore = backups.restore(bot, {
    backup: Readable.from([archive]),
    limit: limitOf(1e6),
    work: freeWork,
    exclusively: () => Promise.reject(fail.conflict('bot_not_offline')),
    apply: () => assert.fail('applied'),
  });
  await assert.rejects(restore, /must be offline/);
  assert.deepEqual([treeOf(home), readdirSync(join(directory, 'restoring'))], [{ a: 'b' }, []]);
});

test('a file that becomes shorter or longer while it is packed does not damage the backup', async (t) => {
  const { homes, bot, home, backups, restore } = makeBackups(t);
  await homes.prepare(bot);
  writeFileSync(join(home, 'log'), 'x'.repeat(500_000));
  for (const size of [10, 900_000]) {
    const chunks: Buffer[] = [];
    for await (const chunk of backups.pack(bot, '{}', freeWork)) {
      if (chunks.length === 0) truncateSync(join(home, 'log'), size);
      chunks.push(chunk);
    }
    await restore(Buffer.concat(chunks));
    assert.ok([10, 500_000, 900_000].includes(lstatSync(join(home, 'log')).size));
  }
});

/** Runs a script of this folder in its own process and kills it at a random moment. */
async function runAndKill(script: string, argument: unknown): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  // Any moment must do.
  await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 150));
  child.kill('SIGKILL');
  await ended;
}

const importing = (name: string, file: string) =>
  `import { ${name} } from ${JSON.stringify(new URL(file, import.meta.url).href)};`;

test('kill -9 at any moment of a restore leaves the old tree or the new one, and its settings', async (t) => {
  const { directory, launcherSource, homes, bot, home, backups, pack } = makeBackups(t);
  const trees: Record<string, string>[] = [];
  await homes.prepare(bot);
  for (const version of [0, 1]) {
    for (let file = 0; file < 60; file++) {
      mkdirSync(join(home, String(file % 7)), { recursive: true });
      writeFileSync(join(home, String(file % 7), String(file)), String(version));
    }
    mkdirSync(join(home, `only-${version}`));
    rmSync(join(home, `only-${1 - version}`), { recursive: true, force: true });
    trees.push(treeOf(home));
    writeFileSync(join(directory, `backup-${version}`), await pack(String(version)));
  }
  const script = `
    import { createReadStream, writeFileSync } from 'node:fs';
    ${importing('HomeBackups', './home-backups.ts')}
    ${importing('Homes', './homes.ts')}
    ${importing('freeWork', '../../../test/support/files-fixture.ts')}
    const [directory, launcherSource, bot] = JSON.parse(process.argv[1]);
    const backups = new HomeBackups(new Homes({ directory, launcherSource }), directory + '/restoring');
    process.stdout.write('ready');
    for (let version = 0; ; version = 1 - version) {
      await backups.restore(bot, {
        backup: createReadStream(directory + '/backup-' + version),
        limit: { bytes: 1e6, error: () => new Error('too large') },
        work: freeWork,
        exclusively: (exchange) => exchange(),
        apply: async (_, settings) => writeFileSync(directory + '/settings', settings),
      });
    }`;
  let cutOff = 0;
  let decided = 0;
  for (let round = 0; round < rounds; round++) {
    await runAndKill(script, [directory, launcherSource, bot]);
    const left = readdirSync(join(directory, 'restoring'));
    cutOff += left.length;
    decided += left.filter((stage) => existsSync(join(directory, 'restoring', stage, 'journal'))).length;
    const apply: ApplySettings = async (_, settings) => writeFileSync(join(directory, 'settings'), settings);
    assert.deepEqual(await backups.recover({ apply, isRecorded }), []);
    const found = trees.findIndex((tree) => JSON.stringify(tree) === JSON.stringify(treeOf(home)));
    assert.notEqual(found, -1, `round ${round}: ${JSON.stringify(treeOf(home))}`);
    if (existsSync(join(directory, 'settings')))
      assert.equal(readFileSync(join(directory, 'settings'), 'utf8'), String(found));
    assert.deepEqual(readdirSync(join(directory, 'restoring')), []);
  }
  t.diagnostic(`${cutOff} restores were cut off, ${decided} of them decided`);
  assert.ok(cutOff > 0, 'no round hit a restore');
});

for (const [state, done] of [
  ['nothing was done', []],
  ['the old tree was moved away', ['home to old']],
  ['the new tree was moved in', ['home to old', 'new to home']],
] as const)
  test(`a restore that was cut off when it was decided and ${state} is finished at the next start`, async (t) => {
    const { homes, bot, home, backups, applied, directory } = makeBackups(t);
    await homes.prepare(bot);
    writeFileSync(join(home, 'old'), '');
    const stage = join(directory, 'restoring', randomUUID());
    mkdirSync(join(stage, 'new'), { recursive: true });
    writeFileSync(join(stage, 'new', 'new'), '');
    writeFileSync(join(stage, 'journal'), JSON.stringify({ botId: bot.id, settings: '{}' }));
    const place = { home, old: join(stage, 'old'), new: join(stage, 'new') };
    for (const step of done) {
      const [from, to] = step.split(' to ') as [keyof typeof place, keyof typeof place];
      renameSync(place[from], place[to]);
    }
    const apply: ApplySettings = async (_, settings) => void applied.push(settings);
    assert.deepEqual(await backups.recover({ apply, isRecorded }), []);
    assert.deepEqual([treeOf(home), applied, readdirSync(join(directory, 'restoring'))], [{ new: '' }, ['{}'], []]);
  });

test('a new home is the backup, of its own user; when its bot is not recorded nothing is left of it', async (t) => {
  const { homes, bot, home, backups, pack, directory } = makeBackups(t);
  await homes.prepare(bot);
  mkdirSync(join(home, 'src'));
  writeFileSync(join(home, 'src', 'a'), 'b');
  const archive = await pack('{"a":1}');
  const found = (id: string, limitBytes: number, record: () => Promise<string>) =>
    backups.found(
      { id, uid: bot.uid + 1 },
      { backup: Readable.from([archive]), limit: limitOf(limitBytes), work: freeWork, record },
    );
  assert.equal(await backups.settings(Readable.from([archive])), '{"a":1}');
  const id = randomUUID();
  assert.equal(await found(id, 1e6, async () => 'recorded'), 'recorded');
  assert.deepEqual(treeOf(homes.path(id)), treeOf(home));
  const { mode, uid } = lstatSync(homes.path(id));
  assert.equal(mode & 0o7777, 0o700);
  if (homes.givesAway)
    assert.deepEqual([uid, lstatSync(join(homes.path(id), 'src', 'a')).uid], [bot.uid + 1, bot.uid + 1]);
  await assert.rejects(
    found(randomUUID(), 0, () => assert.fail('recorded')),
    /MB/,
  );
  await assert.rejects(
    found(randomUUID(), 1e6, () => Promise.reject(new Error('no room'))),
    /no room/,
  );
  await assert.rejects(backups.settings(Readable.from([archive.subarray(0, 20)])), /archive is/);
  assert.deepEqual(readdirSync(join(directory, 'homes')).toSorted(), [bot.id, id].toSorted());
  assert.deepEqual(readdirSync(join(directory, 'restoring')), []);
});

test('kill -9 at any moment of making a new home leaves whole homes of recorded bots and no other', async (t) => {
  const { directory, launcherSource, homes, bot, home, backups, pack } = makeBackups(t);
  await homes.prepare(bot);
  for (let file = 0; file < 60; file++) writeFileSync(join(home, String(file)), String(file));
  const whole = treeOf(home);
  writeFileSync(join(directory, 'backup'), await pack('{}'));
  const script = `
    import { randomUUID } from 'node:crypto';
    import { appendFileSync, createReadStream } from 'node:fs';
    ${importing('HomeBackups', './home-backups.ts')}
    ${importing('Homes', './homes.ts')}
    ${importing('freeWork', '../../../test/support/files-fixture.ts')}
    const [directory, launcherSource, uid] = JSON.parse(process.argv[1]);
    const backups = new HomeBackups(new Homes({ directory, launcherSource }), directory + '/restoring');
    process.stdout.write('ready');
    for (;;) {
      const id = randomUUID();
      await backups.found({ id, uid }, {
        backup: createReadStream(directory + '/backup'),
        limit: { bytes: 1e6, error: () => new Error('too large') },
        work: freeWork,
        record: async () => appendFileSync(directory + '/recorded', id + ' '),
      });
    }`;
  const recorded = () =>
    existsSync(join(directory, 'recorded')) ? readFileSync(join(directory, 'recorded'), 'utf8').trim().split(' ') : [];
  let cutOff = 0;
  for (let round = 0; round < rounds; round++) {
    await runAndKill(script, [directory, launcherSource, bot.uid]);
    cutOff += readdirSync(join(directory, 'restoring')).length;
    const failures = await backups.recover({
      apply: () => assert.fail('settings were applied'),
      isRecorded: async (id) => recorded().includes(id),
    });
    assert.deepEqual(failures, []);
    const there = readdirSync(join(directory, 'homes')).filter((id) => id !== bot.id);
    assert.deepEqual(there.toSorted(), recorded().toSorted(), `round ${round}`);
    for (const id of there) assert.deepEqual(treeOf(homes.path(id)), whole);
    assert.deepEqual(readdirSync(join(directory, 'restoring')), []);
  }
  assert.ok(cutOff > 0, 'no round hit a new home');
});

for (const state of ['new', 'home'] as const)
  test(`a new home that was cut off as ${state} before its bot was recorded is gone at the next start`, async (t) => {
    const { homes, bot, backups, directory } = makeBackups(t);
    const stage = join(directory, 'restoring', randomUUID());
    mkdirSync(join(stage, 'new', 'src'), { recursive: true });
    writeFileSync(join(stage, 'journal'), JSON.stringify({ botId: bot.id, settings: null }));
    if (state === 'home') renameSync(join(stage, 'new'), homes.path(bot.id));
    const apply: ApplySettings = () => assert.fail('settings were applied');
    assert.deepEqual(await backups.recover({ apply, isRecorded: async () => false }), []);
    assert.deepEqual([readdirSync(join(directory, 'homes')), readdirSync(join(directory, 'restoring'))], [[], []]);
  });

test('kill -9 at any moment of a backup leaves whole backups and no other file', async (t) => {
  const { directory, launcherSource, homes, bot, home } = makeBackups(t);
  await homes.prepare(bot);
  for (let file = 0; file < 200; file++) writeFileSync(join(home, String(file)), randomUUID().repeat(500));
  const script = `
    import { randomUUID } from 'node:crypto';
    import { appendFileSync } from 'node:fs';
    ${importing('BackupStore', '../backups/backup-store.ts')}
    ${importing('HomeBackups', './home-backups.ts')}
    ${importing('Homes', './homes.ts')}
    ${importing('freeWork', '../../../test/support/files-fixture.ts')}
    const [directory, launcherSource, bot] = JSON.parse(process.argv[1]);
    const homes = new HomeBackups(new Homes({ directory, launcherSource }), directory + '/restoring');
    const store = new BackupStore(directory + '/backups');
    process.stdout.write('ready');
    for (;;) {
      const id = randomUUID();
      const { sha256 } = await store.write(bot.id, id, homes.pack(bot, '{}', freeWork));
      appendFileSync(directory + '/told', id + ' ' + sha256 + '\\n');
    }`;
  const folder = join(directory, 'backups', bot.id);
  const told = join(directory, 'told');
  let cutOff = 0;
  for (let round = 0; round < rounds; round++) {
    await runAndKill(script, [directory, launcherSource, bot]);
    if (existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.new'))) cutOff++;
    const store = new BackupStore(join(directory, 'backups'));
    await store.recover();
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      assert.match(name, /^[0-9a-f-]{36}\.tar\.gz$/);
      execFileSync('gzip', ['-t', join(folder, name)]);
    }
    const lines = existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [];
    for (const line of lines) {
      const [id = '', sha256 = ''] = line.split(' ');
      assert.equal(await store.isWhole({ botId: bot.id, id, sha256 }), true, id);
    }
    await store.removeAll(bot.id);
    rmSync(told, { force: true });
  }
  assert.ok(cutOff > 0, 'no round hit a backup');
});
