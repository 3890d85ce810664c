// Bots and builds in gVisor instead of the machine's kernel: their life, and limits that still
// hold. On an engine of the test's own; `./botel test --runtime runsc` runs further files in the
// sandbox.
import assert from 'node:assert/strict';
import { release } from 'node:os';
import { after, before, test } from 'node:test';
import { ControlGroups } from '../../packages/server/src/agent/engine/docker/cgroup.ts';
import { sandboxName } from '../../packages/server/src/cli/setup/sandbox.ts';
import { inDatabase } from '../../packages/server/test/api/database.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { createBot, type NewBot, startAndWait, waitForBot, waitForEnd, waitForLine, waitForStatus } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';
import type { OwnEngine } from './own-engine.ts';
import { probes } from './probes/probe.ts';
import { openSandboxEngine } from './sandbox-engine.ts';

let engine: OwnEngine;
let server: LocalServer;

before(async () => {
  engine = await openSandboxEngine(['nodejs', 'python']);
  server = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host, BOTEL_CONTAINER_RUNTIME: sandboxName });
});

after(async () => {
  await server[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
});

async function containerOf(botId: string): Promise<{ Id: string; HostConfig: { Runtime: string } }> {
  const { body } = await engine.client.request('GET', `/containers/bot_${botId}/json`);
  return body as { Id: string; HostConfig: { Runtime: string } };
}

const polite: NewBot[] = [
  {
    language: 'nodejs',
    command: 'node index.js',
    files: {
      'index.js': `console.log(require('os').release());
process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
setInterval(() => {}, 1000);`,
    },
  },
  {
    language: 'python',
    command: 'python main.py',
    files: {
      'main.py': `import os, signal, sys, time
print(os.uname().release, flush=True)
def leave(*_):
    print('bye', flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
while True: time.sleep(1)`,
    },
  },
];

for (const bot of polite)
  test(`a ${bot.language} bot sees the sandbox's kernel, and is asked to stop`, async () => {
    const { client } = server;
    const id = await createBot(client, bot);
    await startAndWait(client, id);
    const { text } = await waitForLine(client, id, ({ stream }) => stream === 'stdout');
    assert.match(text, /^\d+\.\d+/);
    assert.notEqual(text, release());
    assert.equal((await containerOf(id)).HostConfig.Runtime, sandboxName);
    await client.lifecycle('stop', id);
    const { last_exit } = await waitForEnd(client, id);
    assert.deepEqual([last_exit?.reason, last_exit?.code], ['stopped', 0]);
    await waitForLine(client, id, ({ text }) => text === 'bye');
  });

test('a project is built in the sandbox too', async () => {
  const { client } = server;
  const { id } = await client.createBot({
    name: 'built',
    language: 'nodejs',
    memory: 128,
    startup_command: 'cat kernel',
    build_command: 'uname -r > kernel',
    environment: {},
  });
  await client.writeFile(id, 'package.json', '{}');
  await client.lifecycle('start', id);
  const { text } = await waitForLine(client, id, ({ stream, text }) => stream === 'stdout' && /^\d+\.\d+/.test(text));
  assert.notEqual(text, release());
});

test('a bot of 256 MB that takes 400 MB is killed for it', async () => {
  const { client } = server;
  const hog =
    'const kept = []; for (let mb = 8; mb <= 400; mb += 8) kept.push(Buffer.alloc(8 << 20, 1)); setInterval(() => {}, 9);';
  const id = await createBot(client, { command: 'node hog.js', memory: 256, files: { 'hog.js': hog } });
  await client.lifecycle('start', id);
  // The engine may miss that memory was the reason, when all of the sandbox goes at once.
  await waitForBot(client, id, (bot) => bot.last_exit?.reason === 'oom', 60_000);
  await client.deleteBot(id, true);
});

test('a bot that computes without end gets its share of a processor', async () => {
  const { client } = server;
  const id = await createBot(client, { command: 'node -e "for (;;) {}"', memory: 128 });
  await startAndWait(client, id);
  const { Id } = await containerOf(id);
  const groups = new ControlGroups();
  const used = async () => (await groups.usage(Id))?.cpuMicros ?? Number.NaN;
  const [before, began] = [await used(), performance.now()];
  await until(async () => (await used()) - before > 500_000);
  const share = ((await used()) - before) / ((performance.now() - began) * 1000);
  assert.ok(share > 0.25 * 0.2 && share < 0.25 * 1.4, `share ${share}`);
  await client.lifecycle('kill', id);
});

test('a bot that starts programs without end stays below its limit of processes, and others run on', async () => {
  const { client } = server;
  const neighbour = await createBot(client, polite[0] as NewBot);
  await startAndWait(client, neighbour);
  const id = await createBot(client, { command: 'node spawner.js', memory: 256, files: probes('spawner.js') });
  await client.lifecycle('start', id);
  const groups = new ControlGroups();
  let most = 0;
  await until(async () => {
    const { Id } = await containerOf(id);
    if (Id) most = Math.max(most, (await groups.usage(Id))?.pids ?? 0);
    return (await client.bot(id)).last_exit !== null;
  }, 60_000);
  await client.lifecycle('stop', id);
  assert.equal((await client.bot(id)).last_exit?.reason, 'crashed', 'the sandbox ends with what it holds');
  assert.ok(most > 0 && most <= 256, `${most} processes`);
  const { status, run } = await client.bot(neighbour);
  assert.deepEqual([status, run], ['online', 1]);
  await client.lifecycle('kill', neighbour);
});

test('the plan chooses the runtime; one that the engine lacks is told', async () => {
  const { client, directory } = server;
  const id = await createBot(client, polite[0] as NewBot);
  const setRuntime = async (runtime: string | null) => {
    await inDatabase({ directory }, (db) => db.updateTable('plans').set({ container_runtime: runtime }).execute());
  };
  await setRuntime('runc');
  await startAndWait(client, id);
  assert.equal((await waitForLine(client, id, ({ stream }) => stream === 'stdout')).text, release());
  await setRuntime('kata-fc');
  await client.lifecycle('restart', id);
  const { last_exit } = await waitForEnd(client, id, 2);
  assert.deepEqual(
    [last_exit?.reason, last_exit?.message],
    ['start_failed', 'The engine has no container runtime "kata-fc"'],
  );
  await client.lifecycle('stop', id);
  await setRuntime(null);
  await waitForStatus(client, id, 'offline');
});

test('without the runtime of its settings Botel is not ready', async () => {
  await using other = await startDockerServer({ BOTEL_DOCKER_HOST: engine.host, BOTEL_CONTAINER_RUNTIME: 'kata' });
  await until(async () => (await other.client.fetch('GET', '/ready')).status === 503);
  const ready = await other.client.fetch('GET', '/ready');
  assert.equal(((await ready.json()) as { error: string }).error, 'Not ready: engine');
});
