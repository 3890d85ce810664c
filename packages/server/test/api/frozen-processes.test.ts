// One half of a Botel stands still (SIGSTOP) and goes on again (SIGCONT): its sockets stay open, so
// the other one has to find out. Nothing that was wished or said meanwhile is lost.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword, goodBot } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { serveSplit, type SplitServer } from '../support/split-server.ts';
import { assertRefused, type Refusal, send } from './request.ts';

interface Stage extends AsyncDisposable {
  halves: SplitServer;
  client: BotelClient;
  directory: string;
}

async function openStage(settings: Record<string, string> = {}): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'botel-frozen-'));
  const halves = await serveSplit({
    BOTEL_PORT: '0',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'fake',
    BOTEL_ADMIN_EMAIL: adminEmail,
    BOTEL_ADMIN_PASSWORD: adminPassword,
    BOTEL_LOG_LEVEL: 'silent',
    ...settings,
  });
  const client = new BotelClient(halves.api.url);
  await client.login(adminEmail, adminPassword);
  return {
    halves,
    client,
    directory,
    async [Symbol.asyncDispose]() {
      await halves[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A half that stands still is silent for 10 s before the other one takes it for gone. */
const noticedMs = 30_000;
const answerMs = 1_000;

function read({ client }: Stage, path: string): Promise<Response> {
  return client.fetch('GET', path, { signal: AbortSignal.timeout(answerMs) });
}

async function assertReads(stage: Stage, paths: string[]): Promise<void> {
  for (const path of paths) assert.equal((await read(stage, path)).status, 200, path);
}

function untilBot({ client }: Stage, id: string, holds: (bot: BotData) => boolean): Promise<BotData> {
  return until(async () => {
    const bot = await client.bot(id);
    return holds(bot) && bot;
  }, noticedMs);
}

function untilReady(stage: Stage): Promise<boolean> {
  return until(async () => (await read(stage, '/ready')).ok, noticedMs);
}

/** Sends SIGCONT when it is disposed. */
function freeze({ pid }: { pid: number }): Disposable {
  process.kill(pid, 'SIGSTOP');
  return { [Symbol.dispose]: () => void process.kill(pid, 'SIGCONT') };
}

/** As `freeze`, at a moment when nobody writes: a half that is frozen within a transaction is
 * another test. */
async function freezeBetweenWrites(half: { pid: number }, directory: string): Promise<Disposable> {
  return until(async () => {
    const frozen = freeze(half);
    await until(async () => isFrozen(half));
    if (canWrite(directory)) return frozen;
    frozen[Symbol.dispose]();
    return false;
  });
}

function canWrite(directory: string): boolean {
  using database = new DatabaseSync(join(directory, 'botel.sqlite'), { timeout: 0 });
  try {
    database.exec('begin immediate; rollback');
    return true;
  } catch (error) {
    if (String(error).includes('locked')) return false;
    throw error;
  }
}

function isFrozen({ pid }: { pid: number }): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ');
}

async function makeBot({ client }: Stage, command: string = goodBot.startup_command): Promise<string> {
  return (await client.createBot({ ...goodBot, startup_command: command })).id;
}

test('the agent stands still: the api reads, says so, keeps wishes; they come true when it goes on', async () => {
  await using stage = await openStage();
  const { client, halves, directory } = stage;
  await untilReady(stage);
  const [starting, stopping] = [await makeBot(stage), await makeBot(stage)];
  await client.lifecycle('start', stopping);
  await untilBot(stage, stopping, ({ status }) => status === 'online');
  const statuses = async () => [(await client.bot(starting)).status, (await client.bot(stopping)).status];
  {
    using _ = await freezeBetweenWrites(halves.agent, directory);
    await assertReads(stage, ['/health', '/bots', `/bots/${starting}/logs`]);
    assert.equal((await client.lifecycle('start', starting)).data.status, 'starting');
    assert.equal((await client.lifecycle('stop', stopping)).data.status, 'stopping');
    // Sent on before it is known that nobody answers.
    const file = client.fetch('GET', `/bots/${starting}/files`);
    await until(async () => (await read(stage, '/ready')).status === 503, noticedMs);
    assertRefused(await send(client, 'GET /ready'), { status: 503, code: 'not_ready', error: 'Not ready: agent' });
    assert.equal((await file).headers.get('X-Error-Code'), 'not_ready');
    assert.equal((await client.bot(starting)).status_reason, 'engine_unavailable');
    assert.deepEqual(await statuses(), ['starting', 'stopping']);
    await assertReads(stage, ['/bots', `/bots/${starting}/logs`]);
  }
  await untilBot(stage, starting, ({ status, status_reason }) => status === 'online' && status_reason === null);
  await untilBot(stage, stopping, ({ status }) => status === 'offline');
  await untilReady(stage);
  await assertReads(stage, [`/bots/${starting}/files`]);
});

test('the agent stands still within a transaction: reads are answered, writes are refused in words', async () => {
  await using stage = await openStage({ BOTEL_TEST: '1', BOTEL_FAILPOINT: 'exit.stored:freeze' });
  const { client, halves, directory } = stage;
  await untilReady(stage);
  const id = await makeBot(stage, 'node exit 1 after 300');
  const other = new BotelClient(halves.api.url);
  await other.login(adminEmail, adminPassword);
  sessionsAreOld(directory);
  await client.lifecycle('start', id);
  await until(async () => isFrozen(halves.agent), noticedMs);
  const goOn = { [Symbol.dispose]: () => void process.kill(halves.agent.pid, 'SIGCONT') };
  {
    using _ = goOn;
    const refused: Refusal = { status: 503, code: 'not_ready', error: 'Not ready: database' };
    const writing = send(client, 'POST /bots/update', JSON.stringify({ bot_id: id, name: 'renamed' }));
    for (let round = 0; round < 10; round++) {
      await assertReads(stage, ['/bots', `/bots/${id}`, `/bots/${id}/logs`]);
      await assertReads({ ...stage, client: other }, ['/bots']);
    }
    assertRefused(await writing, refused);
  }
  await client.call('POST', '/bots/update', { bot_id: id, name: 'renamed' });
  const bot = await untilBot(stage, id, ({ last_exit }) => last_exit?.reason === 'crashed');
  assert.equal(bot.name, 'renamed');
});

test('the api stands still: the agent restarts what crashes, and the api knows of all of it afterwards', async () => {
  await using stage = await openStage();
  const { client, halves, directory } = stage;
  await untilReady(stage);
  const id = await makeBot(stage, 'node exit 1 after 300');
  await client.lifecycle('start', id);
  await untilBot(stage, id, ({ run }) => run >= 1);
  {
    using _ = await freezeBetweenWrites(halves.api, directory);
    await until(async () => recordedRun(directory, id) >= 3, noticedMs);
  }
  const bot = await untilBot(stage, id, ({ run }) => run >= 3);
  assert.equal(bot.last_exit?.reason, 'crashed');
  await untilReady(stage);
  await client.lifecycle('kill', id);
  await untilBot(stage, id, ({ status }) => status === 'offline');
});

/** All were last used long ago: the next use is to be noted. */
function sessionsAreOld(directory: string): void {
  using database = new DatabaseSync(join(directory, 'botel.sqlite'), { timeout: 5_000 });
  database.exec('update sessions set last_used_at = 0');
}

function recordedRun(directory: string, id: string): number {
  using database = new DatabaseSync(join(directory, 'botel.sqlite'), { readOnly: true });
  const row = database.prepare('select run from observations where bot_id = ?').get(id) as { run: number };
  return row.run;
}
