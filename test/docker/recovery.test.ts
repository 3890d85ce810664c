// The control plane dies at any moment and comes back: bots run on, wishes are carried out, nothing
// is lost or doubled.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { arrives, type Guest, type Verb, wish } from './arrival.ts';
import { startAndWait, waitForBot, waitForLine, waitForStatus } from './bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers, tellToEnd } from './counting-bot.ts';
import { type ServerProcess, spawnDockerServer } from './fixture.ts';

const survivors = 10;
const rounds = process.env.FAULTS_LONG ? 12 : 3;
const longestDelayMs = 700;

test('kill -9 of the control plane: bots run on, their output and their ends are recorded afterwards', async () => {
  await using server = await spawnDockerServer();
  const { client, engine, directory } = server;
  const [ending = '', stopping = '', ...bots] = await Promise.all(
    Array.from({ length: survivors + 2 }, () => createCountingBot(client)),
  );
  await Promise.all([ending, stopping, ...bots].map((id) => startAndWait(client, id)));
  const before = await onlyContainers(engine, bots);

  await client.lifecycle('stop', stopping);
  await server.kill('SIGKILL');
  await tellToEnd(directory, ending);
  await until(async () => (await onlyContainers(engine, [ending])).every(({ running }) => !running));
  await server.restart();

  assert.deepEqual(await onlyContainers(engine, bots), before);
  await Promise.all(bots.map((id) => countsOn(server, id)));
  for (const id of bots) {
    const bot = await client.bot(id);
    assert.deepEqual(
      [bot.status, bot.run, bot.generation, bot.restart_count, bot.last_exit],
      ['online', 1, 1, 0, null],
    );
    assert.deepEqual([...(await assertCounts(client, id)).keys()], [1]);
  }
  assert.deepEqual(await onlyContainers(engine, bots), before);

  const ended = await waitForBot(client, ending, ({ status, run }) => status === 'online' && run === 2);
  assert.deepEqual(
    [ended.last_exit?.run, ended.last_exit?.reason, ended.last_exit?.code, ended.last_exit?.last_lines.at(-1)],
    [1, 'crashed', 3, 'last words'],
  );
  assert.deepEqual([ended.generation, ended.restart_count], [1, 1]);
  await countsOn(server, ending);
  assert.deepEqual([...(await assertCounts(client, ending)).keys()], [1, 2]);

  const stopped = await waitForStatus(client, stopping, 'offline');
  assert.deepEqual([stopped.last_exit?.reason, stopped.run, stopped.desired_status], ['stopped', 1, 'offline']);
  assert.deepEqual([...(await assertCounts(client, stopping)).keys()], [1]);
  assert.deepEqual(await containersOfBot(engine, stopping), []);
});

test('kill -9 at any moment of start, restart, stop, kill and delete: every bot reaches its desired state', async (t) => {
  await using server = await spawnDockerServer();
  const guests: Guest[] = [];
  for (let round = 0; round < rounds; round++) {
    while (guests.length < 3) guests.push({ id: await createCountingBot(server.client), verb: null });
    for (const guest of guests) await callAnyVerb(server, guest);
    const delayMs = Math.round(Math.random() * longestDelayMs);
    await delay(delayMs);
    await server.kill('SIGKILL');
    await server.restart();
    const story = `round ${round}, killed ${delayMs} ms after ${guests.map(({ verb }) => verb).join(', ')}`;
    t.diagnostic(story);
    try {
      await Promise.all(guests.map((guest) => arrives(server, guest)));
    } catch (error) {
      throw new Error(story, { cause: error });
    }
    guests.splice(0, guests.length, ...guests.filter(({ verb }) => verb !== 'delete'));
  }
});

async function callAnyVerb(server: ServerProcess, guest: Guest): Promise<void> {
  const isUp = guest.verb === 'start' || guest.verb === 'restart';
  const verbs: Verb[] = isUp ? ['restart', 'stop', 'kill', 'delete'] : ['start'];
  await wish(server, guest, verbs[Math.floor(Math.random() * verbs.length)] as Verb);
}

test('BOTEL_BOTS_ON_EXIT=stop: bots are taken down with the server and come back with it', async () => {
  await using server = await spawnDockerServer({ BOTEL_BOTS_ON_EXIT: 'stop' });
  const { client, engine } = server;
  const [up, other, down] = await Promise.all(Array.from({ length: 3 }, () => createCountingBot(client)));
  const bots = [up!, other!];
  for (const id of bots) {
    await startAndWait(client, id);
    await waitForLine(client, id, ({ text }) => text === '1');
  }
  await server.kill('SIGTERM');
  for (const id of bots) {
    const containers = await containersOfBot(engine, id);
    assert.ok(!containers.some(({ running }) => running));
  }
  await server.restart();
  for (const id of bots) {
    const bot = await waitForBot(client, id, ({ status, run }) => status === 'online' && run === 2);
    assert.deepEqual([bot.last_exit?.reason, bot.last_exit?.code, bot.status_reason], ['interrupted', 0, null]);
    await countsOn(server, id);
    assert.deepEqual([...(await assertCounts(client, id)).keys()], [1, 2]);
  }
  assert.deepEqual([(await client.bot(down!)).status, (await client.bot(down!)).run], ['offline', 0]);
});

test('by default bots go on when the server ends; its folder is for one server, and not without its database', async (t) => {
  await using server = await spawnDockerServer();
  const { client, engine, directory } = server;
  const id = await createCountingBot(client);
  await startAndWait(client, id);
  const before = await onlyContainers(engine, [id]);

  const second = await serveIn(directory);
  assert.equal(second.code, 1);
  assert.match(second.text, /^botel: Another Botel is running with the data folder \S+$/m);

  await server.kill('SIGTERM');
  assert.deepEqual(await onlyContainers(engine, [id]), before);
  await server.restart();
  await countsOn(server, id);
  assert.deepEqual(await onlyContainers(engine, [id]), before);
  assert.deepEqual([...(await assertCounts(client, id)).keys()], [1]);

  await server.kill('SIGTERM');
  for (const suffix of ['', '-wal', '-shm']) await rm(join(directory, `botel.sqlite${suffix}`), { force: true });
  const robbed = await serveIn(directory);
  assert.equal(robbed.code, 1);
  t.diagnostic('the same container over an end and a start of Botel, and without its database');
  assert.match(robbed.text, /^botel: The database botel\.sqlite is missing in \S+, which was in use\. Restore it/m);
  assert.deepEqual(await onlyContainers(engine, [id]), before);
});

/** Runs `botel serve` on a data folder where it must not work. */
function serveIn(directory: string): Promise<{ code: unknown; text: string }> {
  const environment = { PATH: process.env.PATH, BOTEL_DATA_DIR: directory, BOTEL_PORT: '0', BOTEL_LOG_LEVEL: 'silent' };
  return new Promise((resolve) => {
    const args = [checkoutPath('packages/server/src/main.ts'), 'serve'];
    execFile(process.execPath, args, { env: environment, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? error?.signal ?? 0, text: stdout + stderr }),
    );
  });
}

/** Resolves once a line is stored that the bot wrote after this call. */
async function countsOn({ client }: ServerProcess, botId: string): Promise<void> {
  const since = new Date().toISOString();
  await waitForLine(client, botId, ({ ts, stream }) => stream === 'stdout' && ts > since);
}
