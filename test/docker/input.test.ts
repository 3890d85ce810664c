// Texts for the stdin of real bots: they arrive as lines, stdin stays open between them and over
// the death of the control plane, whatever stands between init and the program; a bot that never
// reads holds up nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@botel/contract/client';
import { waitForLine, waitForStatus } from './bots.ts';
import { containersOf, type ServerProcess, spawnDockerServer, startDockerServer } from './fixture.ts';
import { input, nodeReader as node, pythonReader as python, readerOf, tells } from './reading-bot.ts';

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
