// An api without rights, which can't open the engine's socket, beside an agent: a bot's whole life
// in a real container, and what each half does while the other one is dead.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { until } from '../../packages/server/test/support/until.ts';
import { apiUser } from '../../packages/server/test/support/split-server.ts';
import { containersOf, spawnDockerSplit } from './fixture.ts';

const server = await spawnDockerSplit();
after(() => server[Symbol.asyncDispose]());
const { client, halves } = server;

function untilBot(id: string, holds: (bot: BotData) => boolean): Promise<BotData> {
  return until(async () => {
    const bot = await client.bot(id);
    return holds(bot) ? bot : null;
  }, 120_000);
}

async function makeBot(program: string): Promise<string> {
  const { id } = await client.createBot({
    name: 'halves',
    language: 'nodejs',
    memory: 256,
    startup_command: 'node index.js',
  });
  await client.writeFile(id, 'index.js', program);
  return id;
}

/** What a process of a user may do with the engine. */
function canConnect(path: string, uid: number): boolean {
  const program = `require('node:net').connect(${JSON.stringify(path)})
    .on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', program], { uid, gid: uid, env: {} }).status === 0;
}

test('the api has neither the engine nor homes', () => {
  assert.match(readFileSync(`/proc/${halves.api.pid}/status`, 'utf8'), new RegExp(`^Uid:\\t${apiUser ?? 0}\\t`, 'm'));
  if (apiUser === undefined) return;
  assert.equal(canConnect('/var/run/docker.sock', apiUser), false);
  assert.equal(canConnect(`${server.directory}/agent.sock`, apiUser), true);
  assert.match(readFileSync(`/proc/${halves.api.pid}/status`, 'utf8'), /^CapEff:\t0+$/m);
});

test('a bot lives its whole life', async () => {
  const id = await makeBot(`console.log('up'); process.stdin.on('data', (text) => console.log('got ' + text));`);
  await client.call('POST', '/bots/update', { bot_id: id, stdin: true });
  await client.lifecycle('start', id);
  await untilBot(id, ({ status }) => status === 'online');
  await client.call('POST', '/bots/input', { bot_id: id, text: 'hello\n' });
  const closing = new AbortController();
  for await (const { data } of client.logStream(id, 'tail=100', closing.signal))
    if (JSON.stringify(data).includes('got hello')) break;
  closing.abort();
  await until(async () => (await client.bot(id)).usage, 60_000);
  await client.call('POST', `/bots/${id}/backups`, { name: 'kept' });
  await client.lifecycle('restart', id);
  await untilBot(id, ({ status, run }) => status === 'online' && run === 2);
  await client.lifecycle('stop', id);
  await untilBot(id, ({ status }) => status === 'offline');
  await client.deleteBot(id);
  await until(async () => (await containersOf(server.engine, server.installId)).length === 0);
  await until(async () => !readdirSync(`${server.directory}/homes`).includes(id));
});

test('without the agent a start is kept; without the api a crashed bot is started again', async () => {
  const id = await makeBot(`console.log('up'); require('node:fs').existsSync('crash') && process.exit(1);
    setInterval(() => require('node:fs').existsSync('crash') && process.exit(1), 50);`);
  await halves.agent.end('SIGKILL');
  assert.equal((await client.lifecycle('start', id)).data.status, 'starting');
  assert.deepEqual(await containersOf(server.engine, server.installId), []);
  await halves.restartAgent();
  await untilBot(id, ({ status, status_reason }) => status === 'online' && status_reason === null);

  const [first] = await containersOf(server.engine, server.installId);
  await client.writeFile(id, 'crash', '');
  await halves.api.end('SIGKILL');
  await until(async () => {
    const [now] = await containersOf(server.engine, server.installId);
    return now !== undefined && now !== first;
  }, 60_000);
  await halves.restartApi();
  const bot = await untilBot(id, ({ run }) => (run ?? 0) >= 2);
  assert.equal(bot.last_exit?.reason, 'crashed');
  await client.lifecycle('kill', id);
  const { run } = await untilBot(id, ({ status }) => status === 'offline');
  const { data } = await client.call<{ lines: { text: string }[] }>('GET', `/bots/${id}/logs?limit=1000`);
  assert.equal(data.lines.filter(({ text }) => text === 'up').length, run);
});
