// The merged stream of one reader: what the API tests can't wait for, on a clock that the test
// moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../support/manual-clock.ts';
import { TextCipher } from '../../src/core/lib/text-cipher.ts';
import type { BotsService, BotView } from '../../src/core/services/bots.ts';
import { type LogEvent, LogEventStream } from '../../src/api/services/log-event-stream.ts';
import { BotStore } from '../../src/core/store/bots.ts';
import { ObservationStore } from '../../src/core/store/observations.ts';
import { botId, type LogFixture, openLogs, textEntry } from './log-fixture.ts';
import { until } from '../support/until.ts';

const caller = { userId: 'u', sessionId: 's', role: 'user' as const };

/** A stream of the bot's log, on the real store; `seen` fills while it is read. */
async function openStream({ database, store }: LogFixture) {
  const clock = new ManualClock();
  const bots = new BotStore(database, new TextCipher(Buffer.alloc(32)));
  const state = { sessionStands: true };
  const bot = (await bots.find(botId))!;
  const rest = {
    app: null,
    restarts24h: 0,
    engineAvailable: true,
    usage: null,
    disk: { use: null, limitBytes: 0, limitFiles: 0 },
    appsUrl: 'https://*.apps.localhost',
  };
  const view = async (): Promise<BotView> => {
    const now = (await bots.find(botId))!;
    return { ...rest, bot: now, phase: now.observed.phase, now: clock.now() };
  };
  const parts = {
    clock,
    logs: store,
    store: bots,
    bots: { view } as unknown as BotsService,
    accounts: { stillValid: async () => state.sessionStands },
  };
  const stream = new LogEventStream(parts, caller, bot, { start: { after: 0 }, filter: {} });
  const seen: LogEvent[] = [];
  const read = async () => {
    for await (const event of stream.events()) seen.push(event);
  };
  return { stream, clock, bots, state, seen, read };
}

test('a ping every 15 seconds, one for any time that nobody read', async (t) => {
  const { stream, clock, seen, read } = await openStream(await openLogs(t));
  const reading = read();
  await until(() => seen.length === 1);
  clock.advance(15_000);
  await until(() => seen.length === 2);
  clock.advance(60_000);
  await until(() => seen.length === 3);
  stream.close();
  await reading;
  assert.deepEqual(
    seen.map(({ kind }) => kind),
    ['status', 'ping', 'ping'],
  );
});

test('a session that ends is noticed within 5 seconds, also while nobody reads', async (t) => {
  const { stream, clock, state, seen, read } = await openStream(await openLogs(t));
  state.sessionStands = false;
  clock.advance(5000);
  await until(() => stream.ending.aborted);
  await read();
  assert.deepEqual(seen.at(-1), { kind: 'end', reason: 'unauthorized' });
  stream.close();
});

test('closed, it leaves no timer and no listener behind, read or not', async (t) => {
  const { stream, clock, bots, read } = await openStream(await openLogs(t));
  assert.equal(bots.changed.count(botId), 1);
  stream.close();
  stream.close();
  await read();
  assert.equal(bots.changed.count(botId), 0);
  assert.equal(clock.nextTimerAt(), null);
});

test('a change of status comes after the lines that were there before it', async (t) => {
  const logs = await openLogs(t);
  const { stream, bots } = await openStream(logs);
  const iterator = stream.events();
  assert.equal((await iterator.next()).value?.kind, 'status');
  await logs.store.append(botId, [textEntry('last words')]);
  const exit = { at: 5, run: 1, code: 1, signal: null, oom: false, reason: 'crashed' as const };
  await new ObservationStore(logs.database, bots.changed).record(botId, {
    run: 1,
    runState: 'ended',
    phase: 'waiting',
    lastExit: { ...exit, message: '', lastLines: [], uptimeSeconds: 1, memoryPeakMb: null },
  });
  for (const kind of ['lines', 'exit', 'status']) assert.equal((await iterator.next()).value?.kind, kind);
  stream.close();
  assert.equal((await iterator.next()).done, true);
});
