// Brings bots of a fixture into each state of their life, and keeps them there for as long as a
// test looks.
import assert from 'node:assert/strict';
import type { BotData } from '@botel/contract/bots';
import { type Fixture, goodBot } from '../support/fixture.ts';
import { until } from '../support/until.ts';

/** A command of the fake machine that goes on until it is killed: its bot stays `stopping` for the
 * whole grace. */
export const deaf = 'deaf';

/** A new bot, offline. */
export async function offlineBot(fixture: Fixture, startupCommand: string = goodBot.startup_command): Promise<BotData> {
  const { id } = await fixture.client.createBot({ ...goodBot, memory: 128, startup_command: startupCommand });
  return fixture.client.bot(id);
}

/** A bot that was started and runs. */
export async function onlineBot(fixture: Fixture, startupCommand?: string): Promise<BotData> {
  const { id } = await offlineBot(fixture, startupCommand);
  await fixture.client.lifecycle('start', id);
  return settled(fixture, id, 'online');
}

/** A bot whose stop waits for its grace to end. */
export async function stoppingBot(fixture: Fixture): Promise<BotData> {
  const { id } = await onlineBot(fixture, deaf);
  await fixture.client.call('POST', '/bots/stop', { bot_id: id, grace_seconds: 300 });
  // Not settled: that would wait for the end of the grace.
  return assertStatus(fixture, id, 'stopping');
}

/** A bot that crashed and waits for its next try. */
export async function waitingBot(fixture: Fixture): Promise<BotData> {
  const { id } = await onlineBot(fixture);
  return ended(fixture, id, 1);
}

/** Ends a running bot's program with this code; resolves with the bot once its exit is recorded. */
export function ended(fixture: Fixture, id: string, code: number, how: { oom?: boolean } = {}): Promise<BotData> {
  fixture.machine.crash(id, code, how);
  return until(async () => {
    const bot = await fixture.client.bot(id);
    return bot.status === 'offline' && bot.last_exit !== null && bot;
  });
}

/** Runs `work` while the engine does not answer: what is started then stays `starting`. */
export async function withoutEngine(fixture: Fixture, work: () => Promise<void>): Promise<void> {
  const isReady = async () => (await fixture.guest.fetch('GET', '/ready')).ok;
  fixture.machine.stopEngine();
  await until(async () => !(await isReady()));
  try {
    await work();
  } finally {
    fixture.machine.startEngine({ liveRestore: true });
    await until(isReady);
    await fixture.server.settle();
  }
}

/** The bot, once nothing is left to do; its status must be this one. Waits for the end of every
 * stop. */
export async function settled(fixture: Fixture, id: string, status: BotData['status']): Promise<BotData> {
  await fixture.server.settle();
  return assertStatus(fixture, id, status);
}

/** The bot at this moment; its status must be this one. */
export async function assertStatus(fixture: Fixture, id: string, status: BotData['status']): Promise<BotData> {
  const bot = await fixture.client.bot(id);
  assert.equal(bot.status, status);
  return bot;
}
