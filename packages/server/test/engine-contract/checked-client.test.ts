// The calls of the engine that the contract's client lets through: those of the life of a bot, and
// no others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CallOptions, Method } from '../../src/agent/engine/docker/client.ts';
import type { EngineCalls } from '../../src/agent/engine/docker/docker-engine.ts';
import { CheckedClient } from './checked-client.ts';

const installId = '11111111-2222-4333-8444-555555555555';
const botId = '5f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a10';
const containerId = 'ab'.repeat(32);
const network = { name: 'botel', bridge: 'botel0' };

/** What came through. */
const sent: string[] = [];
const client: EngineCalls = {
  async request(method, path) {
    sent.push(`${method} ${path}`);
    return { status: 200, body: null };
  },
  async stream(method, path) {
    sent.push(`${method} ${path}`);
    return { status: 200, destroy() {}, async *[Symbol.asyncIterator]() {} };
  },
  async connect(path) {
    sent.push(`POST ${path}`);
    throw new Error('Nobody there');
  },
  async close() {},
};
const checked = new CheckedClient(client, { installId, network });

async function passes(method: Method, path: string, options: CallOptions = {}): Promise<boolean> {
  sent.length = 0;
  const answer = await checked.request(method, path, options).catch((error: Error) => error);
  assert.equal(answer instanceof Error, sent.length === 0);
  if (answer instanceof Error) assert.match(answer.message, /^Not a call of the life of a bot/);
  return sent.length === 1;
}

test('calls of the life of a bot pass', async () => {
  const path = `/containers/${containerId}`;
  const filters = JSON.stringify({ label: [`botel.install=${installId}`] });
  const calls: [Method, string, CallOptions?][] = [
    ['GET', '/info'],
    ['GET', '/version'],
    ['GET', '/containers/json', { query: { all: true, filters } }],
    ['GET', `${path}/json`],
    ['GET', `/containers/bot_${botId}/json`],
    ['POST', `${path}/start`],
    ['POST', `${path}/stop?t=10`],
    ['POST', `${path}/kill?signal=SIGKILL`],
    ['DELETE', `${path}?v=1`],
    ['GET', '/networks/botel'],
    ['POST', '/containers/create', { query: { name: `bot_${botId}` }, body: {} }],
  ];
  for (const [method, url, options] of calls) assert.ok(await passes(method, url, options), `${method} ${url}`);
  await assert.rejects(checked.connect(`${path}/attach`, { query: { stream: true, stdin: true } }), /Nobody there/);
  await checked.stream('GET', '/events', { query: { filters, since: 1 } });
});

test('calls of every other path and method do not', async () => {
  const path = `/containers/${containerId}`;
  const verbs = 'archive attach changes exec export logs pause rename resize restart stats top unpause update wait';
  const others = `auth build build/prune commit configs distribution/x/json events grpc images/create images/json
      images/load images/prune networks networks/host networks/prune nodes plugins plugins/pull secrets services session
      swarm/init system/df tasks volumes volumes/create containers/prune containers/json containers/foreign/json
      containers/../images/json exec/x/start containers/create`;
  const urls = [
    ...verbs.split(' ').map((verb) => `${path}/${verb}`),
    ...others.split(/\s+/).map((url) => `/${url}`),
    `${path}/json?size=1`,
    `${path}/stop`,
    `${path}/kill?signal=SIGSTOP`,
    `${path}?v=1&force=1`,
    path,
  ];
  for (const url of urls)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
      for (const body of [undefined, {}])
        assert.equal(await passes(method, url, { ...(body && { body }) }), false, `${method} ${url}`);
  const network = { Name: 'botel', Driver: 'macvlan', Options: { parent: 'eth0' } };
  assert.equal(await passes('POST', '/networks/create', { body: network }), false);
  for (const name of ['bot_x', '', `bot_${botId}&platform=x`])
    assert.equal(await passes('POST', '/containers/create', { query: { name }, body: {} }), false, name);
});

test('any text as a path is refused', async () => {
  const path = fc.string({ unit: 'binary' }).map((text) => `/${text}`);
  const method = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'DELETE');
  await fc.assert(fc.asyncProperty(method, path, async (verb, url) => assert.equal(await passes(verb, url), false)));
  await assert.rejects(checked.stream('GET', `/containers/${containerId}/logs`), /^Error: Not a call/);
  await assert.rejects(checked.connect('/exec/x/start'), /^Error: Not a call/);
  const both = { stream: true, stdin: true, stdout: true };
  await assert.rejects(checked.connect(`/containers/${containerId}/attach`, { query: both }), /^Error: Not a call/);
});
