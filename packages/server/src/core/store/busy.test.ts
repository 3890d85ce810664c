// Two processes share one database: each waits for the other's transaction without blocking its own
// event loop, and not forever.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Database } from './database.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-busy-'));
const database = await Database.open(directory);
after(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Begins a transaction, reports it, and commits when its input ends. */
const holder = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec("begin immediate; insert or replace into settings (key, value) values ('theirs', '1')");
  console.log('held');
  process.stdin.on('end', () => database.exec('commit')).resume();
`;

async function hold(): Promise<{ child: ChildProcess; release(): Promise<void> }> {
  const child = spawn(process.execPath, ['-e', holder, join(directory, 'botel.sqlite')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    child,
    async release() {
      const exited = once(child, 'exit');
      child.stdin.end();
      assert.deepEqual(await exited, [0, null]);
    },
  };
}

function write(key: string): Promise<unknown> {
  return database.db.insertInto('settings').values({ key, value: '1' }).execute();
}

async function keys(): Promise<string[]> {
  return (await database.db.selectFrom('settings').select('key').orderBy('key').execute()).map(({ key }) => key);
}

test('writes wait for the other process, reads and this process go on', async () => {
  const { release } = await hold();
  let done = 0;
  const writes = [
    database.transaction(() => write('a')).then(() => done++),
    write('b').then(() => done++),
    database.transaction(() => write('c')).then(() => done++),
  ];
  for (let count = 0; count < 1000; count++) {
    await turn();
    if (count % 100 === 0) assert.deepEqual(await keys(), []);
  }
  assert.equal(done, 0);
  await release();
  await Promise.all(writes);
  assert.deepEqual(await keys(), ['a', 'b', 'c', 'theirs']);
});

test('a process that never ends its transaction makes writes fail, one by one, and nothing else', async () => {
  const { child, release } = await hold();
  child.kill('SIGSTOP');
  const before = await keys();
  const outcomes = await Promise.allSettled([write('d'), database.transaction(() => write('e'))]);
  for (const outcome of outcomes) {
    assert.equal(outcome.status, 'rejected');
    assert.equal(outcome.reason.code, 'not_ready');
    assert.equal(outcome.reason.cause.errcode, 5);
  }
  assert.deepEqual(await keys(), before);
  child.kill('SIGCONT');
  await release();
  await write('d');
  assert.ok((await keys()).includes('d'));
});
