// The stop signal reaches programs however they are started, and what does not listen is ended when
// its grace is over.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createBot, readText, startAndWait, storedTexts, waitForLine, waitForStatus } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';
import { probes } from './probes/probe.ts';

let server: LocalServer;
before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

describe('stop', { concurrency: 4 }, () => {
  const commands = [
    'node worker.js',
    'env node worker.js',
    'npm start',
    'sh -c "node worker.js"',
    `bash -c 'sh -c "node worker.js; true"; true'`,
    'true && node worker.js && touch after',
    'while true; do node worker.js; done',
    'node worker.js & wait',
    '(cd /home/bot && exec node worker.js)',
    'for try in 1 2 3; do node worker.js || sleep 1; done',
  ];
  for (const command of commands) {
    test(`lets the program finish its work: ${command}`, async () => {
      const { client } = server;
      const id = await createBot(client, { command, files: probes('worker.js') });
      await startAndWait(client, id);
      await waitForLine(client, id, ({ text }) => text === 'start 1');
      await client.lifecycle('stop', id);
      const { last_exit } = await waitForStatus(client, id, 'offline');
      assert.equal(last_exit?.reason, 'stopped');
      const printed = await storedTexts(client, id, { stream: 'stdout' });
      assert.deepEqual(
        printed.filter((line) => /^(start|saving|bye)/.test(line)),
        ['start 1', 'saving', 'bye'],
      );
      assert.equal(await readText(client, id, 'saved'), '1');
      await assert.rejects(readText(client, id, 'after'), { status: 404 });
    });
  }

  for (const command of ['node deaf.js', 'npm run deaf', 'while true; do node deaf.js; done']) {
    test(`ends a deaf program when its grace is over: ${command}`, async (t) => {
      const { client } = server;
      const files = { ...probes('deaf.js'), 'package.json': '{ "scripts": { "deaf": "node deaf.js" } }' };
      const id = await createBot(client, { command, files });
      await startAndWait(client, id);
      await waitForLine(client, id, ({ text }) => text === 'ready');
      const began = Date.now();
      const { data } = await client.call<{ status: string }>('POST', '/bots/stop', { bot_id: id, grace_seconds: 1 });
      assert.equal(data.status, 'stopping');
      const { last_exit } = await waitForStatus(client, id, 'offline');
      assert.deepEqual([last_exit?.reason, last_exit?.code, last_exit?.signal], ['killed', 137, 'SIGKILL']);
      t.diagnostic(`${command}: over ${Date.parse(last_exit?.at ?? '') - began} ms after its stop with a grace of 1 s`);
      const printed = await storedTexts(client, id, { stream: 'stdout' });
      assert.equal(printed.filter((line) => line === 'ready').length, 1);
      assert.ok(printed.includes('no'), 'the signal came first');
    });
  }
});
