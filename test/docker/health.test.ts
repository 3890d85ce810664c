// Programs in containers that are asked for their health before their bots count as online, and
// where they are reached.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inDatabase } from '../../packages/server/test/api/database.ts';
import { createBot, storedLog, waitForBot, waitForLine, waitForStatus } from './bots.ts';
import { type ServerProcess, spawnDockerServer } from './fixture.ts';

/** Answers 503 for three seconds, or for ever, and tells of every question. */
const slowToBeReady = `
  const began = Date.now();
  require('node:http').createServer((request, response) => {
    const status = process.env.NEVER || Date.now() - began < 3000 ? 503 : 200;
    console.log(request.method, request.headers.host + request.url, status);
    response.writeHead(status).end('said ' + status);
  }).listen(process.env.PORT, () => console.log('listening on', process.env.PORT));`;

let server: ServerProcess;
before(async () => {
  server = await spawnDockerServer();
});
after(() => server?.[Symbol.asyncDispose]());

async function servedBot(name: string, app: { port?: number } = {}, environment = {}): Promise<string> {
  const files = { 'index.js': slowToBeReady };
  const id = await createBot(server.client, { name, command: 'node index.js', files, environment });
  await server.client.call('POST', '/apps/create', { bot_id: id, name, health_path: '/up', ...app });
  return id;
}

async function reachedAt(id: string): Promise<string> {
  const target = await inDatabase(server, (db) =>
    db.selectFrom('observations').select(['address', 'port']).where('bot_id', '=', id).executeTakeFirstOrThrow(),
  );
  return `http://${target.address}:${target.port}`;
}

test('a bot that answers 503 for a while is starting for so long, also over a kill of Botel', async () => {
  const id = await servedBot('slow-to-be-ready', { port: 8123 });
  await server.client.lifecycle('start', id);
  await waitForLine(server.client, id, ({ text }) => text === 'GET slow-to-be-ready.apps.localhost/up 503');
  const checking = await server.client.bot(id);
  assert.deepEqual([checking.status, checking.phase], ['starting', 'checking']);
  await server.kill('SIGKILL');
  await server.restart();
  const online = await waitForBot(server.client, id, ({ status }) => status !== 'starting');
  assert.deepEqual([online.status, online.phase, online.run], ['online', 'running', 1]);
  const lines = (await storedLog(server.client, id)).map((line) => ('text' in line ? line.text : ''));
  const answered = lines.findIndex((text) => /^GET \/up answered with status 200 after \d+\.\d s$/.test(text));
  assert.ok(answered > 0, lines.join('\n'));
  assert.ok(lines.includes('listening on 8123'));
  const response = await fetch(`${await reachedAt(id)}/`);
  assert.deepEqual([response.status, await response.text()], [200, 'said 200']);
});

test('a bot that is stopped before it answered never was online', async () => {
  const id = await servedBot('never-ready', {}, { NEVER: 1 });
  await server.client.lifecycle('start', id);
  await waitForLine(server.client, id, ({ text }) => text === 'GET never-ready.apps.localhost/up 503');
  await server.client.lifecycle('stop', id);
  await waitForStatus(server.client, id, 'offline');
  assert.equal(await reachedAt(id), 'http://null:null');
});
