// Row 29: the clock of the server is moved by an hour, forth and back: bots run on, waits do not
// become longer, tokens are good, and sequence numbers go up. The time is that of libfaketime for
// the one process; durations stay those of the machine.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installPackages } from '../../packages/server/src/core/lib/apt-get.ts';
import { type KillableServer, startKillable } from '../../packages/server/test/api/kills/killable-server.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { storedLog, waitForBot } from '../docker/bots.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-clock-'));
const offsetFile = join(directory, 'offset');
let server: KillableServer;

before(async () => {
  const find = () => globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
  if (!find()) await installPackages(['faketime']);
  writeFileSync(offsetFile, '+0\n');
  server = await startKillable({
    LD_PRELOAD: find() ?? '',
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Seconds between the clock of the server and that of the machine. */
async function move(seconds: number): Promise<void> {
  writeFileSync(offsetFile, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  await until(async () => {
    const response = await server.client.fetch('GET', '/health');
    return Math.abs(Date.parse(response.headers.get('Date') ?? '') - Date.now() - seconds * 1000) < 10_000;
  });
}

for (const seconds of [3600, -3600, 0]) {
  test(`row 29: the clock is moved to ${seconds} s from the true time`, async (t) => {
    const { client } = server;
    const [steady, failing] = await Promise.all(
      ['run', 'exit 1 after 200'].map((startup_command) =>
        client.createBot({ ...goodBot, memory: 128, startup_command }),
      ),
    );
    for (const { id } of [steady!, failing!]) await client.lifecycle('start', id);
    await waitForBot(client, steady!.id, ({ status }) => status === 'online');
    // It waits for some seconds now.
    const waiting = await waitForBot(client, failing!.id, ({ last_exit }) => (last_exit?.run ?? 0) >= 3);
    const began = performance.now();
    await move(seconds);
    // The clock is looked at with the bot, which is every 30 s or when its time has come.
    await waitForBot(client, failing!.id, ({ run }) => run > waiting.run, 45_000);
    t.diagnostic(`tried again ${((performance.now() - began) / 1000).toFixed(1)} s after the clock was moved`);
    const { run, status, restart_count } = await client.bot(steady!.id);
    assert.deepEqual([run, status, restart_count], [1, 'online', 0]);
    const later = await client.bot(failing!.id);
    assert.ok(later.run <= waiting.run + 4, `${later.run - waiting.run} tries at once`);
    const numbers = (await storedLog(client, failing!.id)).map(({ seq }) => seq);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
    for (const { id } of [steady!, failing!]) await client.deleteBot(id, true);
  });
}
