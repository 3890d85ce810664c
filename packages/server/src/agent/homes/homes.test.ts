// Folders of bots: prepared, installed, removed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFiles } from '../../../test/support/files-fixture.ts';

test('prepares a home of the bot user and a passwd file that names it, as often as asked', async (t) => {
  const { homes, bot, directory, home } = makeFiles(t);
  await homes.prepare(bot);
  const passwd = lstatSync(homes.passwdPath(bot.id));
  writeFileSync(join(home, 'file'), 'kept');
  chmodSync(home, 0o777);
  await homes.prepare(bot);
  const stats = lstatSync(home);
  assert.equal(stats.mode & 0o7777, 0o700);
  if (homes.givesAway) assert.deepEqual([stats.uid, stats.gid], [bot.uid, bot.uid]);
  assert.equal(lstatSync(join(directory, 'homes')).mode & 0o7777, 0o711);
  assert.equal(readFileSync(join(home, 'file'), 'utf8'), 'kept');
  assert.equal(lstatSync(homes.passwdPath(bot.id)).ino, passwd.ino);
  assert.equal(passwd.mode & 0o7777, 0o444);
  const lines = readFileSync(homes.passwdPath(bot.id), 'utf8').split('\n');
  assert.equal(lines[1], `bot:x:${bot.uid}:${bot.uid}:bot:/home/bot:/bin/bash`);
  assert.deepEqual(
    lines.map((line) => line.split(':')[0]),
    ['root', 'bot', 'nobody', ''],
  );
});

test('installs the launcher under the feet of running containers', (t) => {
  const { homes, launcherSource } = makeFiles(t);
  homes.install();
  const before = lstatSync(homes.launcherPath);
  assert.equal(before.mode & 0o7777, 0o755);
  writeFileSync(launcherSource, '#!/bin/sh\n# newer\n');
  homes.install();
  assert.equal(readFileSync(homes.launcherPath, 'utf8'), '#!/bin/sh\n# newer\n');
  assert.notEqual(lstatSync(homes.launcherPath).ino, before.ino);
});

test('removes a home with all that is in it, and nothing that it links to', async (t) => {
  const { homes, bot, home, outside, directory } = makeFiles(t);
  await homes.prepare(bot);
  writeFileSync(join(outside, 'kept'), '');
  symlinkSync(outside, join(home, 'link'));
  execFileSync('mkfifo', [join(home, 'fifo')]);
  mkdirSync(join(home, 'a/b/c'), { recursive: true });
  chmodSync(join(home, 'a/b'), 0o000);
  await homes.remove(bot.id);
  await homes.remove(bot.id);
  assert.deepEqual(readdirSync(outside), ['kept']);
  for (const folder of ['homes', 'passwd', 'staging']) assert.deepEqual(readdirSync(join(directory, folder)), []);
});

test('takes no id that is not one', async (t) => {
  const { homes } = makeFiles(t);
  for (const id of ['..', '', 'a/b']) {
    assert.throws(() => homes.path(id));
    await assert.rejects(homes.remove(id));
  }
});
