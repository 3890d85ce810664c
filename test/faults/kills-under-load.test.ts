// Row 27: kill -9 of the server under load, again and again: whatever was answered is there
// afterwards, and the database is whole at each start. Copies of its files as they are at any
// moment open, too. FAULTS_LONG=1: 100 times instead of 10.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@botel/contract/client';
import { type KillableServer, startKillable } from '../../packages/server/test/api/kills/killable-server.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';

const rounds = process.env.FAULTS_LONG ? 100 : 10;
const writers = 6;
/** All are looked at after each kill. */
const maxBots = 40;
const longestLoadMs = 600;

/** What a caller asked for last, and what of it was answered. */
interface Fact {
  asked: string;
  told: string;
}

/** A bot of one writer, which waits for each answer. */
interface Known {
  id: string;
  generation: number;
  name: Fact;
  variable: Fact;
  file: Fact;
}

test(`row 27: kill -9 under load, ${rounds} times: nothing that was answered is lost`, async (t) => {
  await using server = await startKillable({
    BOTEL_DEFAULT_PLAN_MEMORY_MB: '1048576',
    BOTEL_DEFAULT_PLAN_BOTS: '10000',
  });
  const known: Known[] = [];
  let writes = 0;
  let cutOff = 0;
  let copies = 0;
  for (let round = 0; round < rounds; round++) {
    let isOver = false;
    const load = Array.from({ length: writers }, async (_, writer) => {
      const own = known.filter((_each, index) => index % writers === writer);
      while (!isOver) {
        try {
          await writeOne(server, known, own);
          writes++;
        } catch (error) {
          if (error instanceof ApiError && error.code !== 'unreachable') throw error;
          cutOff++;
          return;
        }
      }
    });
    await delay(Math.random() * longestLoadMs);
    const atCopy = structuredClone(known);
    checkCopy(server, atCopy);
    copies++;
    await delay(Math.random() * longestLoadMs);
    await server.kill();
    isOver = true;
    await Promise.all(load);
    await server.restart();
    assertWhole(join(server.directory, 'botel.sqlite'));
    await checkAll(server, known);
  }
  t.diagnostic(`${writes} answered writes to ${known.length} bots, 0 lost; ${cutOff} cut off; ${copies} copies opened`);
  assert.ok(writes > rounds && cutOff > 0);
});

/** One call that writes; what it was told is noted when the answer is there. */
async function writeOne({ client }: KillableServer, known: Known[], own: Known[]): Promise<void> {
  const bot = own[Math.floor(Math.random() * own.length)];
  if (!bot || (known.length < maxBots && Math.random() < 0.1)) {
    const { id, name } = await client.createBot({ ...goodBot, startup_command: 'run', environment: { VALUE: '' } });
    const fact = (value: string) => ({ asked: value, told: value });
    const made = { id, generation: 0, name: fact(name), variable: fact(''), file: fact('') };
    known.push(made);
    own.push(made);
    return;
  }
  const value = `v${Math.random().toString().slice(2, 12)}`;
  const tell = async (fact: Fact, call: Promise<unknown>) => {
    fact.asked = value;
    await call;
    fact.told = value;
  };
  switch (Math.floor(Math.random() * 4)) {
    case 0:
      return tell(bot.name, client.call('POST', '/bots/update', { bot_id: bot.id, name: value }));
    case 1:
      return tell(bot.variable, client.call('PUT', `/bots/${bot.id}/env`, { environment: { VALUE: value } }));
    case 2:
      return tell(bot.file, client.writeFile(bot.id, 'value.txt', value));
    default:
      await client.lifecycle('restart', bot.id);
      bot.generation++;
  }
}

/** All is as it was answered; only what was cut off may be there or not. */
async function checkAll({ client, directory }: KillableServer, known: Known[]): Promise<void> {
  for (const bot of known) {
    const there = await client.bot(bot.id);
    const { data } = await client.call<{ environment: Record<string, string> }>('GET', `/bots/${bot.id}/env`);
    const file = join(directory, 'homes', bot.id, 'value.txt');
    settle(bot.name, there.name);
    settle(bot.variable, data.environment.VALUE ?? '');
    settle(bot.file, existsSync(file) ? readFileSync(file, 'utf8') : '');
    assert.ok(there.generation >= bot.generation, 'a wish is lost');
    bot.generation = there.generation;
  }
}

function settle(fact: Fact, there: string): void {
  assert.ok(there === fact.told || there === fact.asked, `"${there}" is there, "${fact.told}" was answered`);
  fact.told = fact.asked = there;
}

function checkCopy({ directory, pid }: KillableServer, known: Known[]): void {
  const copy = join(directory, 'copy');
  mkdirSync(copy);
  // Both files as they are at one moment, like a snapshot of the disk.
  process.kill(pid, 'SIGSTOP');
  try {
    for (const suffix of ['', '-wal'])
      if (existsSync(join(directory, `botel.sqlite${suffix}`)))
        copyFileSync(join(directory, `botel.sqlite${suffix}`), join(copy, `botel.sqlite${suffix}`));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  assertWhole(join(copy, 'botel.sqlite'), known);
  rmSync(copy, { recursive: true });
}

function assertWhole(path: string, known: Known[] = []): void {
  const database = new DatabaseSync(path);
  try {
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
    const generation = database.prepare('select generation from bots where id = ?');
    for (const bot of known) {
      const row = generation.get(bot.id) as { generation: number } | undefined;
      assert.ok(row && row.generation >= bot.generation, 'an answered write is not in a copy');
    }
  } finally {
    database.close();
  }
}
