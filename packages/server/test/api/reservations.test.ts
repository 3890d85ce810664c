// What an owner holds of its plan: taken before the work begins, and what is really held until the
// container is gone.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import type { BackupData } from '@botel/contract/backups';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { deaf, onlineBot } from './bot-states.ts';
import { assertRefused, type Refusal, send } from './request.ts';

const mebibyte = 1024 * 1024;
const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_MEMORY_MB: '1024', BOTEL_DEFAULT_PLAN_BOTS: '6' });
after(() => fixture[Symbol.asyncDispose]());
const { client, machine, server } = fixture;

afterEach(async () => {
  for (const { id } of await client.bots()) await client.deleteBot(id, true);
  await server.settle();
});

const setMemory = (id: string, memory: number) => send(client, 'POST /bots/update', { bot_id: id, memory });
const create = (memory: number) => send(client, 'POST /bots/create', { ...goodBot, memory });
const memoryOf = (id: string) => (machine.byName(`bot_${id}`)?.spec?.memoryBytes ?? 0) / mebibyte;

function insufficient(needMb: number, availableMb: number): Refusal {
  const error = `Insufficient memory: need ${needMb}MB, only ${availableMb}MB available`;
  return { status: 403, code: 'insufficient_memory', error };
}

test('a bot holds the memory that it runs with until its next run, whatever its setting', async () => {
  const { id } = await onlineBot(fixture);
  await setMemory(id, 1024);
  await client.lifecycle('restart', id);
  await until(() => memoryOf(id) === 1024);
  await server.settle();
  assert.equal((await setMemory(id, 128)).status, 200);
  assert.equal((await client.usage()).memory.used_mb, 1024);
  assertRefused(await create(128), insufficient(128, 0));
  const { body } = await send<{ memory: { promised_mb: number } }>(client, 'GET /admin/health');
  assert.equal(body.data.memory.promised_mb, 1024);
  // Its own memory is not in its own way.
  assert.equal((await setMemory(id, 512)).status, 200);
  await client.lifecycle('restart', id);
  await until(() => memoryOf(id) === 512);
  await server.settle();
  assert.equal((await create(512)).status, 201);
  assertRefused(await setMemory(id, 513), insufficient(513, 512));
});

test('a deleted bot holds its memory until its container is gone', async () => {
  const { id } = await onlineBot(fixture, deaf);
  await setMemory(id, 1024);
  machine.stopEngine();
  try {
    await client.deleteBot(id, true);
    assert.deepEqual(await client.bots(), []);
    assert.equal((await client.usage()).memory.used_mb, 128);
    assertRefused(await create(1024), insufficient(1024, 896));
  } finally {
    machine.startEngine({ liveRestore: true });
  }
  await until(async () => (await client.usage()).memory.used_mb === 0);
  assert.equal((await create(1024)).status, 201);
});

test('new bots from a backup take their room before their files are unpacked', async () => {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  await client.writeFile(id, 'data', new Uint8Array(2 * mebibyte));
  const { data: backup } = await client.call<BackupData>('POST', `/bots/${id}/backups`, { name: 'first' });
  let isOver = false;
  const copies = Array.from({ length: 12 }, () =>
    send(client, 'POST /bots/create-from-backup', { backup_id: backup.id }),
  );
  const answers = Promise.all(copies).finally(() => (isOver = true));
  let peak = 0;
  while (!isOver) {
    peak = Math.max(peak, readdirSync(join(fixture.directory, 'homes')).length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const statuses = (await answers).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [...Array(5).fill(201), ...Array(7).fill(403)]);
  assert.equal(peak, 6);
  // Nothing is left reserved.
  const { memory, bots } = await client.usage();
  assert.deepEqual([memory.used_mb, bots.used], [6 * 128, 6]);
  assert.equal((await setMemory(id, 1024 - 5 * 128)).status, 200);
});
