// A bot that floods its log, over the whole server: throttled and told of, let go by its stop, and
// ended when no throttle holds.
import assert from 'node:assert/strict';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventListData } from '@botel/contract/bot-events';
import type { LogHistoryData } from '@botel/contract/logs';
import { EngineError } from '../../src/agent/engine/engine.ts';
import { noFaults } from '../../src/agent/engine/fake/fake-faults.ts';
import { type Clock, systemClock } from '../../src/core/lib/clock.ts';
import { startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { onlineBot, settled } from './bot-states.ts';

const megabyte = 1_000_000;
const secondMs = 100;
const speed = 1000 / secondMs;
const beginning = Date.now();
const fastClock: Clock = {
  now: () => beginning + (Date.now() - beginning) * speed,
  after: (delayMs, callback) => systemClock.after(delayMs / speed, callback),
};

let throttleFails = false;
const faults = {
  ...noFaults,
  before({ verb }: { verb: string }) {
    if (throttleFails && verb === 'throttleOutput') throw new EngineError('unavailable', 'away');
  },
};
const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' }, undefined, { clock: fastClock, faults });
after(() => fixture[Symbol.asyncDispose]());
const { client, server } = fixture;

/** The engine's log of the one bot that runs grows by so many MB: by a hole, which nobody has to
 * write. */
function grow(count: number): void {
  const directory = join(fixture.directory, 'fake');
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    truncateSync(path, statSync(path).size + count * megabyte);
  }
}

async function floods(id: string): Promise<EventListData['events']> {
  const { data } = await client.call<EventListData>('GET', `/bots/${id}/events?type=log.flood`);
  return data.events;
}

test('a flood is throttled, shown in log and events, and let go by the stop', async () => {
  const { id } = await onlineBot(fixture, 'flood');
  await until(async () => {
    await server.runTask('throttle-floods');
    return (await floods(id)).length > 0;
  });
  const [event] = await floods(id);
  assert.match(event?.message ?? '', /^Bot "greeter" wrote \d+\.\d MB\/s of output, which is being held back$/);
  assert.equal(event?.actor.name, 'Botel');
  const { data } = await client.call<LogHistoryData>('GET', `/bots/${id}/logs?stream=system`);
  const texts = data.lines.map((line) => ('text' in line ? line.text : ''));
  assert.ok(texts.some((text) => text.startsWith('Output is being held back: ')));
  await client.lifecycle('stop', id);
  const { last_exit } = await settled(fixture, id, 'offline');
  assert.equal(last_exit?.reason, 'stopped');
});

test('a bot that no throttle holds is stopped, counts as crashed and is started again', async () => {
  throttleFails = true;
  const { id } = await onlineBot(fixture);
  await until(async () => {
    await server.runTask('throttle-floods');
    await delay(secondMs);
    const bot = await client.bot(id);
    if (bot.last_exit) return true;
    if (bot.status === 'online') grow(20);
    return false;
  }, 20_000);
  throttleFails = false;
  const { last_exit } = await client.bot(id);
  assert.deepEqual(
    [last_exit?.reason, last_exit?.message],
    ['crashed', 'Stopped: it wrote more than 10 MB/s of output'],
  );
  await until(async () => (await client.bot(id)).run === 2);
});
