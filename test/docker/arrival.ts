// Whether a counting bot is where its last wish wants it: every run run once, one container at
// most, nothing lost of what it said, and no blame. For tests in which the control plane or the
// engine failed on the way.
import assert from 'node:assert/strict';
import { until } from '../../packages/server/test/support/until.ts';
import { waitForLine, waitForStatus } from './bots.ts';
import { assertCounts, containersOfBot, onlyContainers } from './counting-bot.ts';
import type { DockerServer } from './fixture.ts';

export type Verb = 'start' | 'restart' | 'stop' | 'kill' | 'delete';

/** A bot under test, and what was wished for it last. */
export interface Guest {
  id: string;
  verb: Verb | null;
}

export async function wish({ client }: Pick<DockerServer, 'client'>, guest: Guest, verb: Verb): Promise<void> {
  guest.verb = verb;
  if (verb === 'delete') await client.deleteBot(guest.id, true);
  else await client.lifecycle(verb, guest.id);
}

/** Resolves when the bot is there, within 60 s. */
export async function arrives(
  { client, engine }: Pick<DockerServer, 'client' | 'engine'>,
  { id, verb }: Guest,
): Promise<void> {
  if (verb === 'delete') {
    await until(async () => (await containersOfBot(engine, id)).length === 0);
    await until(async () => (await client.bot(id).catch((error) => error.code)) === 'bot_not_found');
    return;
  }
  const isUp = verb === 'start' || verb === 'restart';
  const bot = await waitForStatus(client, id, isUp ? 'online' : 'offline');
  assert.equal(bot.restart_count, 0);
  if (!isUp) {
    await until(async () => (await containersOfBot(engine, id)).length === 0);
    return;
  }
  const [container] = await onlyContainers(engine, [id]);
  assert.deepEqual([container?.running, container?.run, container?.generation], [true, bot.run, bot.generation]);
  await waitForLine(client, id, ({ run, text }) => run === bot.run && text === '5');
  await assertCounts(client, id);
}
