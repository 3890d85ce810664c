// The hint of an exit: in the bot, in the live stream and in the log.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readEvents } from '@botel/contract/events';
import type { LogHistoryData } from '@botel/contract/logs';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ended, onlineBot } from './bot-states.ts';
import { send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, machine } = fixture;

/** The line of the log that tells of the end of run 1. */
async function endLine(id: string): Promise<string> {
  const { data } = (await send<LogHistoryData>(client, `GET /bots/${id}/logs?stream=system&q=ended`)).body;
  return data.lines.map((line) => ('text' in line ? line.text : '')).join('\n');
}

test('what the program said: module and sentence', async (t) => {
  const { id } = await onlineBot(fixture);
  const abort = new AbortController();
  t.after(() => abort.abort());
  const stream = await client.fetch('GET', `/bots/${id}/logs/stream`, { signal: abort.signal });
  machine.write(id, "Error: Cannot find module 'discord.js'", 'stderr');
  // More than the exit keeps of its last lines.
  for (let count = 0; count < 30; count++) machine.write(id, `    at f (/home/bot/index.js:${count}:1)`, 'stderr');
  const text = 'The package "discord.js" is not installed: add it to package.json and install it';
  const hint = { code: 'module_node', values: { module: 'discord.js' }, text };
  const bot = await ended(fixture, id, 1);
  assert.deepEqual(bot.last_exit?.hint, hint);
  assert.match(await endLine(id), /^Run 1 ended after .*\. Hint: The package "discord\.js" is not installed: /);
  for await (const { event, data } of readEvents(stream.body!)) {
    if (event !== 'exit') continue;
    assert.deepEqual((data as { hint: unknown }).hint, hint);
    break;
  }
});

test('what the engine said: memory', async () => {
  const { id } = await onlineBot(fixture);
  const bot = await ended(fixture, id, 137, { oom: true });
  const text = `The bot used up its ${bot.memory} MB of memory: give it more memory, or let it use less`;
  assert.deepEqual(bot.last_exit?.hint, { code: 'oom', values: { memory_mb: bot.memory }, text });
});

test('a command that is not there', async () => {
  const { id } = await client.createBot({ ...goodBot, memory: 128, startup_command: 'missing-command now' });
  await client.lifecycle('start', id);
  const { last_exit: exit } = await until(async () => {
    const bot = await client.bot(id);
    return bot.last_exit !== null && bot;
  });
  assert.equal(exit?.hint?.code, 'not_found');
});

test('none where nothing is known, or where the owner asked for the end', async () => {
  const crashed = await onlineBot(fixture);
  assert.equal((await ended(fixture, crashed.id, 3)).last_exit?.hint, null);
  assert.doesNotMatch(await endLine(crashed.id), /Hint/);
  const stopped = await onlineBot(fixture);
  machine.write(stopped.id, 'Error: Used disallowed intents');
  await client.lifecycle('stop', stopped.id);
  await until(async () => (await client.bot(stopped.id)).status === 'offline');
  assert.equal((await client.bot(stopped.id)).last_exit?.hint, null);
});
