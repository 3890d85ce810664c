// A data folder without its database is refused, not reinitialized beside running bots.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { installIdOf, refuseLostDatabase } from './install-id.ts';
import { systemIds } from '../lib/ids.ts';
import { Database } from '../store/database.ts';
import { SettingStore } from '../store/settings.ts';

let directory = '';

beforeEach(() => {
  if (directory) rmSync(directory, { recursive: true });
  directory = mkdtempSync(join(tmpdir(), 'botel-install-'));
});
after(() => rmSync(directory, { recursive: true }));

/** The id after a start in the folder. */
async function start(): Promise<string> {
  refuseLostDatabase(directory);
  const database = await Database.open(directory, 'OFF');
  try {
    return await installIdOf(directory, new SettingStore(database), systemIds);
  } finally {
    await database.close();
  }
}

describe('the id of an install', () => {
  test('is made once and stays', async () => {
    const id = await start();
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal(await start(), id);
  });

  test('is written again where only the file is lost', async () => {
    const id = await start();
    rmSync(join(directory, 'install-id'));
    assert.equal(await start(), id);
  });
});

describe('a folder that was in use is refused', () => {
  test('without its database', async () => {
    await start();
    rmSync(join(directory, 'botel.sqlite'));
    await assert.rejects(start(), /botel\.sqlite is missing/);
  });

  test('with an empty database', async () => {
    await start();
    writeFileSync(join(directory, 'botel.sqlite'), '');
    await assert.rejects(start(), /botel\.sqlite is empty/);
    await assert.rejects(start(), /botel\.sqlite is empty/);
  });

  test('with the database of another install', async () => {
    await start();
    writeFileSync(join(directory, 'install-id'), `${systemIds.uuid()}\n`);
    await assert.rejects(start(), /different installs/);
  });
});
