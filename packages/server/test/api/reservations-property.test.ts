// Random calls of an owner, some at once: what it holds never exceeds its plan, and is what the
// machine has of it.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BackupData } from '@botel/contract/backups';
import fc from 'fast-check';
import { goodBot, startFixture } from '../support/fixture.ts';
import { type Answer, send } from './request.ts';

const plan = { memoryMb: 1024, bots: 4 };
const fixture = await startFixture({
  BOTEL_DEFAULT_PLAN_MEMORY_MB: String(plan.memoryMb),
  BOTEL_DEFAULT_PLAN_BOTS: String(plan.bots),
});
after(() => fixture[Symbol.asyncDispose]());
const { client, machine, server } = fixture;

/** With how often each is made. */
const verbs = { create: 3, copy: 3, update: 6, start: 4, restart: 3, stop: 1, kill: 1, delete: 2 };

interface Call {
  verb: keyof typeof verbs;
  /** Which of the bots. */
  bot: number;
  memory: number;
}

const call = fc.record({
  verb: fc.oneof(
    ...Object.entries(verbs).map(([verb, weight]) => ({ arbitrary: fc.constant(verb as Call['verb']), weight })),
  ),
  bot: fc.nat(plan.bots - 1),
  memory: fc.constantFrom(128, 256, 512, 1024, 1025),
});
/** Each group of calls is made at once. */
const history = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 12 });

function make({ verb, bot, memory }: Call, ids: string[], backups: string[]): Promise<Answer> {
  const id = ids[bot % ids.length];
  if (verb === 'copy' && backups.length > 0)
    return send(client, 'POST /bots/create-from-backup', { backup_id: backups[bot % backups.length], memory });
  if (verb === 'create' || verb === 'copy' || id === undefined)
    return send(client, 'POST /bots/create', { ...goodBot, memory });
  if (verb === 'delete') return send(client, 'POST /bots/delete', { bot_id: id, force: true });
  return send(client, `POST /bots/${verb}`, verb === 'update' ? { bot_id: id, memory } : { bot_id: id });
}

/** MB of the machine's containers, by bot. */
function running(): Map<string, number> {
  const bots = machine.containers().flatMap(({ spec }) => (spec ? [spec] : []));
  return new Map(bots.map(({ botId, memoryBytes }) => [botId, memoryBytes / 1024 / 1024]));
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0);
}

async function assertWithinPlan(): Promise<void> {
  const before = sum(running().values());
  const { memory, bots } = await client.usage();
  assert.ok(before <= plan.memoryMb, `${before} MB run`);
  assert.ok(memory.used_mb <= plan.memoryMb, `${memory.used_mb} MB are held`);
  assert.ok(bots.used <= plan.bots, `${bots.used} bots`);
  assert.ok(readdirSync(join(fixture.directory, 'homes')).length <= 2 * plan.bots);
}

/** Nothing is in progress: the sums are exact. */
async function assertExact(): Promise<void> {
  const [bots, containers, usage] = [await client.bots(), running(), await client.usage()];
  const held = bots.map(({ id, memory }) => Math.max(memory, containers.get(id) ?? 0));
  assert.equal(usage.memory.used_mb, sum(held));
  assert.equal(usage.bots.used, bots.length);
  const ids = new Set(bots.map(({ id }) => id));
  assert.deepEqual(
    [...containers.keys()].filter((id) => !ids.has(id)),
    [],
  );
  assert.deepEqual(
    readdirSync(join(fixture.directory, 'homes')).filter((id) => !ids.has(id)),
    [],
  );
}

async function live(groups: Call[][]): Promise<void> {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  const { data } = await client.call<BackupData>('POST', `/bots/${id}/backups`, { name: 'first' });
  try {
    for (const calls of groups) {
      const ids = (await client.bots()).map((bot) => bot.id);
      const answers = Promise.all(calls.map((each) => make(each, ids, ids.includes(id) ? [data.id] : [])));
      await assertWithinPlan();
      for (const { status, body } of await answers)
        assert.ok([200, 201, 403, 404, 409].includes(status), `${status} ${JSON.stringify(body)}`);
      await assertWithinPlan();
      await server.settle();
      await assertExact();
    }
  } finally {
    for (const bot of await client.bots()) await client.deleteBot(bot.id, true);
    await server.settle();
  }
}

test('an owner holds no more than its plan, and exactly what the machine has of it', async () => {
  await fc.assert(fc.asyncProperty(history, live), { numRuns: 20, endOnFailure: true });
});
