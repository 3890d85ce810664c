// Bots that answer each line of their stdin with one of their own, for tests of input. They say
// `up` first, and what they see of the end of their input.
import assert from 'node:assert/strict';
import type { BotelClient } from '@botel/contract/client';
import { createBot, type NewBot, startAndWait, storedTexts, waitForLine } from './bots.ts';

const nodeEcho = `
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => console.log('got ' + line));
lines.on('close', () => { console.log('end of input'); setInterval(() => {}, 1000); });
console.log('up');
`;
const pythonEcho = `
import sys, time
print('up', flush=True)
for line in sys.stdin:
    print('got', line.rstrip('\\n'), flush=True)
print('end of input', flush=True)
time.sleep(1000)
`;
export const nodeReader = { language: 'nodejs', command: 'node index.js', files: { 'index.js': nodeEcho } } as const;
export const pythonReader = { language: 'python', command: 'python bot.py', files: { 'bot.py': pythonEcho } } as const;

/** An online bot with stdin that has said that it is up. */
export async function readerOf(client: BotelClient, bot: NewBot): Promise<string> {
  const id = await createBot(client, bot);
  await client.call('POST', '/bots/update', { bot_id: id, stdin: true });
  await startAndWait(client, id);
  await waitForLine(client, id, ({ text }) => text === 'up');
  return id;
}

export async function input(client: BotelClient, id: string, text: string): Promise<number> {
  return (await client.call<{ bytes: number }>('POST', '/bots/input', { bot_id: id, text })).data.bytes;
}

/** Writes the lines, one call each, and asserts that the bot has got them, after what it got
 * before, and no end. */
export async function tells(client: BotelClient, id: string, lines: string[], before: string[] = []): Promise<void> {
  for (const line of lines) assert.equal(await input(client, id, `${line}\n`), Buffer.byteLength(line) + 1);
  await waitForLine(client, id, ({ text }) => text === `got ${lines.at(-1)}`);
  const expected = [...before, ...lines].map((line) => `got ${line}`);
  const texts = await storedTexts(client, id, { stream: 'stdout' });
  assert.deepEqual(texts.slice(texts.indexOf('up') + 1), expected);
}
