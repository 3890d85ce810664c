// Copies from before migrations: private, and not kept for ever.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Database } from './database.ts';
import { removeOldCopies } from './database-copies.ts';

const root = mkdtempSync(join(tmpdir(), 'botel-copies-'));
after(() => rmSync(root, { recursive: true, force: true }));
const day = 24 * 60 * 60 * 1000;
let directory = '';
let path = '';
beforeEach(() => {
  directory = mkdtempSync(join(root, 'data-'));
  path = join(directory, 'botel.sqlite');
});

const copies = () => readdirSync(directory).filter((name) => name.includes('before-migration'));

test('only their owner may read them', async () => {
  // An empty database, which every migration is pending for.
  writeFileSync(path, '', { mode: 0o600 });
  await (await Database.open(directory, 'OFF')).close();
  assert.equal(copies().length, 1);
  for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
});

test('the newest is kept for 30 days, and nothing else is touched', async () => {
  const other = ['botel.sqlite', 'botel.sqlite.before-migration-mine', 'secret.key'];
  for (const name of [...other, ...[1, 20, 3].map((days) => `botel.sqlite.before-migration-${days * day}`)])
    writeFileSync(join(directory, name), '');
  const newest = join(directory, `botel.sqlite.before-migration-${20 * day}`);
  chmodSync(newest, 0o644);
  removeOldCopies(path, 50 * day);
  assert.deepEqual(
    readdirSync(directory).sort(),
    [newest, ...other.map((name) => join(directory, name))].map((each) => each.slice(directory.length + 1)).sort(),
  );
  assert.equal(statSync(newest).mode & 0o777, 0o600);
  removeOldCopies(path, 50 * day + 1);
  assert.deepEqual(readdirSync(directory).sort(), other.sort());
  removeOldCopies(path, 50 * day + 1);
});
