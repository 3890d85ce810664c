// Rows 12, 14 and 39: the real engine through a proxy that fails: errors, cut connections, events
// that never come, come cut off or by the ten thousand, and a creation that hangs. Whatever it is,
// things get where they were wished.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DockerClient } from '../../packages/server/src/agent/engine/docker/client.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { Random } from '../../packages/server/test/simulation/random.ts';
import { arrives, type Guest, wish } from '../docker/arrival.ts';
import { startAndWait, waitForBot, waitForLine } from '../docker/bots.ts';
import { containersOfBot, createCountingBot, onlyContainers } from '../docker/counting-bot.ts';
import { type Fate, openFaultyEngine } from '../docker/faulty-engine.ts';
import { type DockerServer, startDockerServer } from '../docker/fixture.ts';

/** Beyond the 30 s after which everything is looked at, whatever events say. */
const resyncMs = 45_000;

test('row 12: of 20 % of the calls there is an error, a conflict or no answer', async (t) => {
  await using faulty = await openFaultyEngine();
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: faulty.host });
  // The test itself looks past the proxy.
  const engine = new DockerClient(faulty.engineHost);
  t.after(() => engine.close());
  const guests: Guest[] = [];
  for (let i = 0; i < 4; i++) guests.push({ id: await createCountingBot(server.client), verb: null });
  const random = new Random(12);
  // What clears up is not part of it.
  await using _ = { [Symbol.asyncDispose]: async () => faulty.rule(() => 'pass') };
  faulty.rule((line) => {
    if (/\/events\b/.test(line) || !random.chance(0.2)) return 'pass';
    return random.pick<Fate>([500, 409, 'cut', 'lose']);
  });
  for (const verb of ['start', 'restart', 'stop', 'start', 'delete'] as const) {
    for (const guest of guests) await wish(server, guest, verb);
    // A refusal by the engine is a failed start, which is tried again.
    await Promise.all(guests.map((guest) => arrivesSomehow({ ...server, engine }, guest)));
  }
  t.diagnostic(`${faulty.faults()} calls failed`);
  assert.ok(faulty.faults() > 0);
});

/** As `arrives`, but tries of which the engine refused one may have been more. */
async function arrivesSomehow(server: Pick<DockerServer, 'client' | 'engine'>, guest: Guest): Promise<void> {
  if (guest.verb === 'delete') return arrives(server, guest);
  const isUp = guest.verb !== 'stop';
  const bot = await waitForBot(
    server.client,
    guest.id,
    ({ status, generation, run }) => status === (isUp ? 'online' : 'offline') && (!isUp || run > 0) && generation > 0,
    90_000,
  );
  if (!isUp) {
    await until(async () => (await containersOfBot(server.engine, guest.id)).length === 0, resyncMs);
    return;
  }
  const [container] = await onlyContainers(server.engine, [guest.id]);
  assert.deepEqual([container?.running, container?.generation], [true, bot.generation]);
}

test('row 14: events that are cut off: an end is seen all the same', async () => {
  await using faulty = await openFaultyEngine();
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: faulty.host });
  const id = await runningBot(server);
  for (let i = 0; i < 5; i++) faulty.cutEvents();
  await removeContainer(server, id);
  await waitForBot(server.client, id, ({ status, run }) => status === 'online' && run === 2, resyncMs);
});

test('row 14: events that never come: an end is seen by the look at all', async (t) => {
  await using faulty = await openFaultyEngine();
  faulty.rule((line) => (/\/events\b/.test(line) ? 'hang' : 'pass'));
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: faulty.host });
  const id = await runningBot(server);
  const began = performance.now();
  await removeContainer(server, id);
  const bot = await waitForBot(server.client, id, ({ status, run }) => status === 'online' && run === 2, resyncMs);
  assert.equal(bot.last_exit?.reason, 'vanished');
  t.diagnostic(`seen and online again after ${((performance.now() - began) / 1000).toFixed(1)} s`);
});

test('row 14: 10,000 events at once: the API answers, nothing is done twice', async (t) => {
  await using faulty = await openFaultyEngine();
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: faulty.host });
  const id = await runningBot(server);
  const before = await onlyContainers(server.engine, [id]);
  const actions = ['die', 'start', 'oom', 'destroy'];
  const Attributes = { 'botel.install': server.installId, 'botel.bot': id, name: `bot_${id}` };
  faulty.inventEvents(
    Array.from({ length: 10_000 }, (_, index) => ({
      Type: 'container',
      Action: actions[index % actions.length],
      id: before[0]?.id,
      Actor: { ID: before[0]?.id, Attributes },
      time: Math.floor(Date.now() / 1000),
      timeNano: Date.now() * 1_000_000 + index,
    })),
  );
  let slowestMs = 0;
  const { seq } = await waitForLine(server.client, id, () => true);
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    await server.client.bot(id);
    slowestMs = Math.max(slowestMs, performance.now() - began);
  }
  t.diagnostic(`slowest of 20 answers: ${Math.round(slowestMs)} ms`);
  await waitForLine(server.client, id, ({ text }) => text === '100', { after: seq });
  assert.deepEqual(await onlyContainers(server.engine, [id]), before);
  const bot = await server.client.bot(id);
  assert.deepEqual([bot.status, bot.run, bot.last_exit], ['online', 1, null]);
});

test('row 39: the creation of one bot hangs: it fails at its deadline, others go on, and later it starts', async (t) => {
  await using faulty = await openFaultyEngine();
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: faulty.host });
  const [stuck, other] = [await createCountingBot(server.client), await createCountingBot(server.client)];
  faulty.rule((line) => (line.includes(`/containers/create?name=bot_${stuck}`) ? 'hang' : 'pass'));
  const began = performance.now();
  await server.client.lifecycle('start', stuck);
  await startAndWait(server.client, other);
  t.diagnostic(`the other one is online after ${Math.round(performance.now() - began)} ms`);
  const failed = await waitForBot(server.client, stuck, ({ last_exit }) => last_exit !== null, 120_000);
  assert.equal(failed.last_exit?.reason, 'start_failed');
  t.diagnostic(`start_failed after ${Math.round((performance.now() - began) / 1000)} s: ${failed.last_exit?.message}`);
  faulty.rule(() => 'pass');
  await waitForBot(server.client, stuck, ({ status }) => status === 'online', 60_000);
  assert.equal((await server.client.bot(other)).run, 1);
});

type Local = Awaited<ReturnType<typeof startDockerServer>>;

async function runningBot({ client }: Local): Promise<string> {
  const id = await createCountingBot(client);
  await startAndWait(client, id);
  await waitForLine(client, id, ({ text }) => text === '3');
  return id;
}

async function removeContainer({ engine }: Local, id: string): Promise<void> {
  const [container] = await onlyContainers(engine, [id]);
  await engine.request('DELETE', `/containers/${container!.id}`, { query: { force: true } });
}
