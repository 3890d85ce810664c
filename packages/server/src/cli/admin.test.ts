// `botel admin` as a process, on a database with an account from before emails were checked.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkoutPath } from '../core/lib/checkout.ts';
import { AccountStore } from '../core/store/accounts.ts';
import { Database } from '../core/store/database.ts';
import { insertOwner } from '../../test/support/sample-owner.ts';

test('the list of accounts shows control characters of an email instead of obeying them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'botel-admin-'));
  try {
    const database = await Database.open(directory, 'OFF');
    await insertOwner(database);
    const hostile = {
      id: 'hostile',
      email: '\x1b[2j\r\x9b31m@evil.com',
      passwordHash: '',
      role: 'user',
      planId: 'p',
    } as const;
    await new AccountStore(database).insertUser({ ...hostile, suspended: false, leaving: false, createdAt: 0 });
    await database.close();
    const printed = execFileSync(
      process.execPath,
      [checkoutPath('packages/server/src/main.ts'), 'admin', 'user', 'list'],
      {
        env: { BOTEL_DATA_DIR: directory },
        encoding: 'utf8',
      },
    );
    assert.equal(/[^\P{C}\t\n]/u.test(printed), false);
    assert.ok(printed.includes(String.raw`\u001b[2j\u000d\u009b31m@evil.com`), printed);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
