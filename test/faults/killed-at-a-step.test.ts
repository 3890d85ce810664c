// Rows 1 to 6: the control plane is killed at a known step of the way from a wish to its truth, and
// started again: the bot gets where it was wished, each run runs once, and its files are as they
// were.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../../packages/server/test/support/until.ts';
import { arrives, type Guest, type Verb, wish } from '../docker/arrival.ts';
import { readText, startAndWait, waitForLine } from '../docker/bots.ts';
import { assertCounts, createCountingBot } from '../docker/counting-bot.ts';
import { type ServerProcess, spawnDockerServer } from '../docker/fixture.ts';

interface Case {
  row: number;
  failpoint: string;
  verb: Verb;
}

const cases: Case[] = [
  { row: 1, failpoint: 'desired.committed', verb: 'start' },
  { row: 1, failpoint: 'before.begin', verb: 'start' },
  { row: 1, failpoint: 'after.begin', verb: 'start' },
  { row: 1, failpoint: 'create.ready', verb: 'start' },
  { row: 2, failpoint: 'after.create', verb: 'start' },
  { row: 2, failpoint: 'before.start', verb: 'start' },
  { row: 3, failpoint: 'after.start', verb: 'start' },
  { row: 3, failpoint: 'before.record_running', verb: 'start' },
  { row: 4, failpoint: 'before.stop', verb: 'stop' },
  { row: 4, failpoint: 'after.stop', verb: 'stop' },
  { row: 4, failpoint: 'after.kill', verb: 'kill' },
  { row: 4, failpoint: 'exit.stored', verb: 'stop' },
  { row: 4, failpoint: 'after.record_end', verb: 'stop' },
  { row: 5, failpoint: 'after.remove', verb: 'restart' },
  { row: 5, failpoint: 'before.create', verb: 'restart' },
  { row: 6, failpoint: 'after.remove', verb: 'delete' },
  { row: 6, failpoint: 'before.purge', verb: 'delete' },
  { row: 6, failpoint: 'purge.home', verb: 'delete' },
  { row: 6, failpoint: 'after.purge', verb: 'delete' },
];

let server: ServerProcess;

before(async () => {
  server = await spawnDockerServer();
});

after(() => server?.[Symbol.asyncDispose]());

for (const { row, failpoint, verb } of cases) {
  test(`row ${row}: ${verb}, killed at ${failpoint}`, async (t) => {
    const guest: Guest = { id: await createCountingBot(server.client), verb: null };
    await server.client.writeFile(guest.id, 'kept.txt', 'kept');
    if (verb !== 'start') {
      await startAndWait(server.client, guest.id);
      await waitForLine(server.client, guest.id, ({ text }) => text === '3');
    }
    await server.arm(failpoint);
    // Where the process dies before it answers, the wish is committed all the same.
    await wish(server, guest, verb).catch((error) => assert.equal(failpoint, 'desired.committed', error));
    await server.dies();
    const began = performance.now();
    await server.restart();
    await arrives(server, guest);
    t.diagnostic(
      `where it was wished ${Math.round(performance.now() - began)} ms after the start of the process began`,
    );
    if (verb === 'delete') {
      await until(async () => !existsSync(join(server.directory, 'homes', guest.id)));
      return;
    }
    assert.equal(await readText(server.client, guest.id, 'kept.txt'), 'kept');
    await server.client.deleteBot(guest.id, true);
  });
}

for (const failpoint of ['lines.stored:kill:5', 'lines.committed:kill:5']) {
  test(`row 23: killed at ${failpoint}: each line is there once`, async () => {
    await server.arm(failpoint);
    const id = await createCountingBot(server.client);
    await server.client.lifecycle('start', id);
    await server.dies();
    await server.restart();
    const { seq } = await waitForLine(server.client, id, ({ text }) => text === '50');
    await waitForLine(server.client, id, ({ stream }) => stream === 'stdout', { after: seq });
    assert.deepEqual([...(await assertCounts(server.client, id)).keys()], [1]);
    await server.client.deleteBot(id, true);
  });
}

test('row 1: killed before the wish is committed: there was no answer, and there is no wish', async () => {
  const id = await createCountingBot(server.client);
  await server.arm('desired.stored');
  await assert.rejects(server.client.lifecycle('start', id), { code: 'unreachable' });
  await server.dies();
  await server.restart();
  const { status, run, generation } = await server.client.bot(id);
  assert.deepEqual([status, run, generation], ['offline', 0, 0]);
});
