// Rows that owners cause without end are bounded: runs per bot, events per owner and in all.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { aBot } from '../../../test/support/sample-bot.ts';
import { insertOwner } from '../../../test/support/sample-owner.ts';
import { TextCipher } from '../lib/text-cipher.ts';
import { BotStore } from './bots.ts';
import { Database } from './database.ts';
import { EventStore } from './events.ts';
import { keptRuns, RunStore } from './runs.ts';

async function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-bounds-'));
  const database = await Database.open(directory, 'OFF');
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  for (const id of ['owner', 'busy', 'quiet']) await insertOwner(database, {}, id);
  const bots = new BotStore(database, new TextCipher(Buffer.alloc(32)));
  return { database, bots, runs: new RunStore(database), events: new EventStore(database) };
}

test('a bot keeps the records of its newest runs, whatever the others have', async (t) => {
  const { database, bots, runs } = await open(t);
  for (const [at, id] of ['loops', 'rests'].entries())
    await bots.insert({ ...aBot({ id, uid: 100_001 + at }), environment: {} });
  const begin = (id: string, run: number) =>
    runs.begin(id, { run, kind: 'bot', generation: 1, automatic: true, beganAt: run });
  await database.transaction(async () => {
    await begin('rests', 1);
    for (let run = 1; run <= keptRuns + 20; run++) await begin('loops', run);
  });
  assert.deepEqual([await runs.count('loops'), await runs.count('rests')], [keptRuns, 1]);
  assert.equal((await runs.newest('loops', null, 1))[0]?.run, keptRuns + 20);
});

test('the oldest events go first: of owners over their limit, then of all', async (t) => {
  const { database, events } = await open(t);
  const add = (ownerId: string, message: string) =>
    events.add({ id: 'bot', ownerId }, { type: 'bot.updated', message }, { at: 1000, userId: null });
  const messages = async (ownerId: string) =>
    (await events.newest({ ownerId }, null, 100)).map(({ message }) => message).toReversed();
  await database.transaction(async () => {
    await add('quiet', 'first');
    for (let at = 1; at <= 30; at++) await add('busy', String(at));
    await add('quiet', 'last');
  });
  await events.prune({ before: 1000, maxPerOwner: 10, max: 100 });
  assert.deepEqual(await messages('quiet'), ['first', 'last']);
  assert.deepEqual(await messages('busy'), ['21', '22', '23', '24', '25', '26', '27', '28', '29', '30']);
  await events.prune({ before: 1000, maxPerOwner: 10, max: 3 });
  assert.deepEqual([await messages('quiet'), await messages('busy')], [['last'], ['29', '30']]);
  await events.prune({ before: 1001, maxPerOwner: 10, max: 100 });
  assert.deepEqual([await messages('quiet'), await messages('busy')], [[], []]);
});
