// Row 28: a database that is cut off, overwritten, gone or of another install: the server says so,
// ends, and leaves it as it is; it never begins anew beside what is there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { type KillableServer, startKillable } from '../../packages/server/test/api/kills/killable-server.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';

let server: KillableServer;
let whole: Buffer;
const path = () => join(server.directory, 'botel.sqlite');

before(async () => {
  server = await startKillable();
  for (let i = 0; i < 10; i++) await server.client.createBot({ ...goodBot, memory: 128 });
  await server.kill();
  // Everything into the one file.
  const database = new DatabaseSync(path());
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  whole = readFileSync(path());
});

after(() => server?.[Symbol.asyncDispose]());

const damages: [string, () => void][] = [
  ['cut off in the middle', () => truncateSync(path(), Math.floor(whole.length / 2))],
  ['cut off at the end of a page', () => truncateSync(path(), whole.length - 4096)],
  ['cut off to nothing', () => truncateSync(path(), 0)],
  [
    'with a beginning of something else',
    () => writeFileSync(path(), Buffer.concat([Buffer.alloc(100, 'x'), whole.subarray(100)])),
  ],
  ['gone', () => rmSync(path())],
];

for (const [what, damage] of damages) {
  test(`row 28: a database that is ${what}`, async (t) => {
    writeFileSync(path(), whole);
    for (const suffix of ['-wal', '-shm']) rmSync(path() + suffix, { force: true });
    damage();
    const damaged = what === 'gone' ? null : readFileSync(path());
    const { code, text } = await serve();
    t.diagnostic(text.trim().slice(0, 300));
    assert.equal(code, 1);
    assert.match(text, /^botel: The database \S+ (is damaged|is missing|is empty|in )/m);
    if (damaged) assert.ok(readFileSync(path()).equals(damaged), 'the file was changed');
    else assert.equal(statSync(path(), { throwIfNoEntry: false }), undefined);
  });
}

test('row 28: the database that was put back works', async () => {
  writeFileSync(path(), whole);
  await server.restart();
  assert.equal((await server.client.bots()).length, 10);
});

function serve(): Promise<{ code: unknown; text: string }> {
  const environment = {
    PATH: process.env.PATH,
    BOTEL_DATA_DIR: server.directory,
    BOTEL_PORT: '0',
    BOTEL_ENGINE: 'fake',
  };
  const args = [checkoutPath('packages/server/src/main.ts'), 'serve'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: environment, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? error?.signal ?? 0, text: stdout + stderr }),
    );
  });
}
