// Texts for the stdin of real bots: they arrive as lines, stdin stays open between them and over the death of the control
// plane, whatever stands between init and the program; a bot that never reads holds up nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, type BotelClient } from '@botel/contract/client';
import { createBot, type NewBot, startAndWait, storedTexts, waitForLine, waitForStatus } from './bots.ts';
import { containersOf, type ServerProcess, spawnDockerServer, startDockerServer } from './fixture.ts';

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
const node = { language: 'nodejs', command: 'node index.js', files: { 'index.js': nodeEcho } } as const;
const python = { language: 'python', command: 'python bot.py', files: { 'bot.py': pythonEcho } } as const;

/** An online bot with stdin that has said that it is up. */
async function readerOf(client: BotelClient, bot: NewBot): Promise<string> {
  const id = await createBot(client, bot);
  await client.call('POST', '/bots/update', { bot_id: id, stdin: true });
  await startAndWait(client, id);
  await waitForLine(client, id, ({ text }) => text === 'up');
  return id;
}

async function input(client: BotelClient, id: string, text: string): Promise<number> {
  return (await client.call<{ bytes: number }>('POST', '/bots/input', { bot_id: id, text })).data.bytes;
}

/** Writes the lines, one call each, and asserts that the bot has got them, after what it got before, and no end. */
async function tells(client: BotelClient, id: string, lines: string[], before: string[] = []): Promise<void> {
  for (const line of lines) assert.equal(await input(client, id, `${line}\n`), Buffer.byteLength(line) + 1);
  await waitForLine(client, id, ({ text }) => text === `got ${lines.at(-1)}`);
  const expected = [...before, ...lines].map((line) => `got ${line}`);
  const texts = await storedTexts(client, id, { stream: 'stdout' });
  assert.deepEqual(texts.slice(texts.indexOf('up') + 1), expected);
}

test('lines reach node and python bots, also after kill -9 of the control plane, and their input never ends', async () => {
  await using server: ServerProcess = await spawnDockerServer();
  const { client } = server;
  const ids = [await readerOf(client, node), await readerOf(client, python)];
  for (const id of ids) await tells(client, id, ['one', 'zwei é 🙂']);
  await server.kill('SIGKILL');
  await server.restart();
  for (const id of ids) {
    await tells(client, id, ['after'], ['one', 'zwei é 🙂']);
    assert.equal((await client.bot(id)).run, 1);
    // A text may be a part of a line.
    await input(client, id, 'in two ');
    await input(client, id, 'parts\n');
    await waitForLine(client, id, ({ text }) => text === 'got in two parts');
  }
});

describe('what stands between', () => {
  const files = {
    ...node.files,
    'package.json': '{"scripts": {"start": "node index.js"}}',
    'run.sh': '#!/bin/sh\nnode index.js\n',
  };
  const commands = [
    'npm start',
    'true && node index.js',
    'cd . && exec npm start',
    "sh -c 'node index.js; true'",
    'sh run.sh',
    'A=1 node index.js | cat',
  ];
  test(`passes stdin on: ${commands.join(', ')}`, async () => {
    await using server = await startDockerServer();
    const { client } = server;
    await Promise.all(
      commands.map(async (command) => tells(client, await readerOf(client, { ...node, command, files }), ['1', '2'])),
    );
  });
});

test('a bot that never reads: refused once its pipe is full, stopped like any other; one without stdin sees its end', async () => {
  await using server = await startDockerServer();
  const { client, engine, installId } = server;
  const id = await readerOf(client, {
    ...node,
    files: { 'index.js': "console.log('up'); setInterval(() => {}, 1000)" },
  });
  const reader = await readerOf(client, node);
  const fill = async () => {
    for (let count = 0; count < 256; count++) await input(client, id, 'x'.repeat(4096));
  };
  const isFull = (error: unknown) => error instanceof ApiError && error.code === 'stdin_full';
  await assert.rejects(fill(), isFull);
  await assert.rejects(input(client, id, 'y'), isFull);
  await tells(client, reader, ['still here']);
  await client.lifecycle('stop', id);
  await waitForStatus(client, id, 'offline');
  assert.equal((await containersOf(engine, installId)).length, 1);

  await client.call('POST', '/bots/update', { bot_id: reader, stdin: false });
  await client.lifecycle('restart', reader);
  await waitForLine(client, reader, ({ run, text }) => run === 2 && text === 'end of input');
  await assert.rejects(
    input(client, reader, 'x'),
    (error: unknown) => error instanceof ApiError && error.code === 'stdin_closed',
  );
});
