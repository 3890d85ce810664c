// SIGTERM ends the process soon, whatever the files of an owner's bots make it do.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword, goodBot } from '../support/fixture.ts';
import { serve } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const sources = 10;

test('a server ends while it reads large projects of an owner', { timeout: 60_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'botel-end-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const served = await serve({
    BOTEL_PORT: '0',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'fake',
    BOTEL_DISK_QUOTA: 'soft',
    BOTEL_ADMIN_EMAIL: adminEmail,
    BOTEL_ADMIN_PASSWORD: adminPassword,
    BOTEL_LOG_LEVEL: 'silent',
    BOTEL_DISK_REFUSE_PERCENT: '100',
  });
  t.after(() => served.end('SIGKILL'));
  const client = new BotelClient(served.url);
  await client.login(adminEmail, adminPassword);
  for (let i = 0; i < 2; i++) {
    const { id } = await client.createBot({ ...goodBot, memory: 128, language: 'rust', startup_command: 'run' });
    await client.writeFile(id, 'Cargo.toml', '[package]');
    for (let j = 0; j < sources; j++) {
      await client.writeFile(id, `${j}.rs`, '');
      truncateSync(join(directory, 'homes', id, `${j}.rs`), j % 2 ? 4 * 1024 ** 2 : 8 * 1024 ** 4);
    }
    await client.lifecycle('start', id);
  }
  const asked = served.end('SIGTERM');
  await until(() => !served.isAlive(), 15_000);
  await asked;
  assert.equal(served.isAlive(), false);
});
