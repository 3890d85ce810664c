// The closed network on the real engine: what a bot gets from its neighbour and from this machine,
// and that its port is closed and kept closed. Dials nothing but addresses of its own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runProgram } from '../../packages/server/src/core/lib/program.ts';
import { Database } from '../../packages/server/src/core/store/database.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { createBot, startAndWait, waitForLine } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';

const dial = await readFile(join(import.meta.dirname, 'probes/dial.js'), 'utf8');
const listen = `require('node:net').createServer((socket) => socket.end('hello')).listen(3000, () => console.log('listening'))`;
const ports = '/sys/class/net/botel0/brif';
let server: LocalServer;

before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

test('neither the neighbour nor the machine answers a bot; the machine reaches both', async () => {
  const { client } = server;
  const neighbour = await createBot(client, { command: 'node index.js', files: { 'index.js': listen } });
  await startAndWait(client, neighbour);
  await waitForLine(client, neighbour, ({ text }) => text === 'listening');
  const { address, gateway } = await addressesOf(neighbour);

  const listener = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => listener.listen(0, gateway, resolve));
  const { port } = listener.address() as AddressInfo;
  try {
    for (const target of [`${address}:3000`, `${gateway}:${port}`]) {
      const bot = await createBot(client, {
        command: 'node dial.mjs',
        files: { 'dial.mjs': dial },
        environment: { TARGET: target },
      });
      await client.lifecycle('start', bot);
      const { text } = await waitForLine(client, bot, (line) => line.text.startsWith('{'));
      assert.equal(JSON.parse(text).outcome, 'silence', target);
    }
    assert.equal(await greeting(address, 3000), 'hello');
    assert.equal(await greeting(gateway, port), 'hello', 'the listener itself is alive');
  } finally {
    listener.close();
  }
});

test('every port of the bridge is closed when a bot is online, and closed again when somebody opens one', async () => {
  const { client } = server;
  const before = new Set(await readdir(ports));
  const bot = await createBot(client, { command: 'node index.js', files: { 'index.js': listen } });
  await startAndWait(client, bot);
  const own = (await readdir(ports)).filter((name) => !before.has(name));
  assert.ok(own.length > 0);
  for (const name of own) {
    await until(async () => (await readFile(flagOf(name), 'utf8')).trim() === '1');
    await writeFile(flagOf(name), '0');
  }
  await server.server.runTask('keep-firewall');
  for (const name of own) assert.equal((await readFile(flagOf(name), 'utf8')).trim(), '1', name);
});

test('the rules are in force on this machine, and the server says that it is ready', async () => {
  const listed = (await runProgram('iptables', ['-S', 'INPUT'])).join('\n');
  assert.match(
    listed,
    /^-A INPUT -i botel0 -m comment --comment "?botel:[0-9a-f-]+:[0-9a-f]{12}"? -j BOTEL-IN-botel0$/m,
  );
  assert.equal((await fetch(`${server.url}/ready`)).status, 200);
});

const flagOf = (port: string) => `/sys/class/net/${port}/brport/isolated`;

async function addressesOf(botId: string): Promise<{ address: string; gateway: string }> {
  const { body } = await server.engine.request('GET', `/containers/bot_${botId}/json`);
  const { Networks } = (body as { NetworkSettings: { Networks: Record<string, Record<string, string>> } })
    .NetworkSettings;
  return { address: Networks.botel?.IPAddress ?? '', gateway: Networks.botel?.Gateway ?? '' };
}

async function greeting(host: string, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host, port, timeout: 5_000 });
  socket.once('data', (data) => resolve(String(data)));
  socket.once('timeout', () => reject(new Error('silence')));
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
}

test('a bot without a network has nothing but its loopback', async () => {
  const { client } = server;
  const bot = await createBot(client, {
    command: 'node index.js',
    files: { 'index.js': `console.log(Object.keys(require('node:os').networkInterfaces()).join())` },
  });
  await client.call('POST', '/bots/update', { bot_id: bot, network: 'none' });
  await client.lifecycle('start', bot);
  await waitForLine(client, bot, ({ text }) => text === 'lo');
});

test('a plan with a bandwidth slows a bot down in both directions', async () => {
  const { client } = server;
  const database = await Database.open(server.directory);
  const setBandwidth = (mbit: number | null) => database.db.updateTable('plans').set({ network_mbit: mbit }).execute();
  try {
    await setBandwidth(8);
    const bytes = 2_000_000;
    const source = `require('node:net').createServer((socket) => {
      let got = 0;
      socket.on('data', ({ length }) => (got += length) >= ${bytes} && socket.end(Buffer.alloc(${bytes})));
    }).listen(3000, () => console.log('listening'))`;
    const bot = await createBot(client, { command: 'node index.js', files: { 'index.js': source } });
    await startAndWait(client, bot);
    await waitForLine(client, bot, ({ text }) => text === 'listening');
    await server.server.runTask('limit-bandwidth');
    const { address } = await addressesOf(bot);
    const began = performance.now();
    const socket = connect(3000, address);
    socket.write(Buffer.alloc(bytes));
    await once(socket, 'readable');
    const sentMs = performance.now() - began;
    let got = 0;
    for await (const chunk of socket) got += (chunk as Buffer).length;
    const receivedMs = performance.now() - began - sentMs;
    assert.equal(got, bytes);
    // 2 MB at 1 MB/s, less what the buckets hold: a slow machine only makes it longer.
    assert.ok(sentMs > 1_000, `sent in ${sentMs} ms`);
    assert.ok(receivedMs > 1_000, `received in ${receivedMs} ms`);
  } finally {
    await setBandwidth(null);
    await database.close();
  }
});
