// The way of texts through the store to a program's stdin: at most once, in their order, to their
// own run, in time, and without a bot holding up another. On a real database, with an engine that
// does what each test says.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inputFreshMs, inputPatienceMs, inputsMax } from '../../src/core/domain/input.ts';
import { EngineError } from '../../src/agent/engine/engine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { TextCipher } from '../../src/core/lib/text-cipher.ts';
import { StdinDispatcher } from '../../src/agent/reconciler/stdin-dispatcher.ts';
import { aBot } from '../support/sample-bot.ts';
import { InputsService } from '../../src/api/services/inputs.ts';
import { InputStore } from '../../src/core/store/inputs.ts';
import { botId, openLogs } from '../capture/log-fixture.ts';
import { until } from '../support/until.ts';

/** Both bots run run 2 in the container of their own id; `write` is the engine. */
async function stage(t: TestContext) {
  const { database, otherBotId } = await openLogs(t);
  const clock = new ManualClock();
  const inputs = new InputStore(database, new TextCipher(Buffer.alloc(32)));
  const written: string[] = [];
  const control = { write: async (_containerId: string, _text: string): Promise<void> => {} };
  const open = () =>
    new StdinDispatcher({
      inputs,
      bots: { find: async (id) => aBot({ id }, { run: 2, runState: 'running', containerId: id }) },
      engine: {
        async writeStdin(containerId, text) {
          await control.write(containerId, text);
          written.push(text);
        },
      },
      clock,
      log: { warn() {} },
    });
  let dispatcher = open();
  t.after(() => dispatcher.stop());
  /** As after the death of the process: nothing of the dispatcher before goes on. */
  const reopen = async () => {
    dispatcher = open();
    await dispatcher.start();
  };
  const add = (text: string, { id = botId, run = 2 } = {}) =>
    inputs.add({ botId: id, run, text, createdAt: clock.now() });
  const settles = async (id: number, state: string) => until(async () => (await inputs.state(id)) === state);
  return { database, inputs, clock, written, control, otherBotId, reopen, add, settles };
}

test('texts that waited before the dispatcher was there are delivered in their order, each once', async (t) => {
  const { written, reopen, add, settles } = await stage(t);
  const ids = [await add('a'), await add('b'), await add('c')];
  await reopen();
  ids.push(await add('d'));
  for (const id of ids) await settles(id, 'delivered');
  assert.deepEqual(written, ['a', 'b', 'c', 'd']);
});

test('what was begun when the process died is not begun again', async (t) => {
  const { inputs, written, reopen, add, settles } = await stage(t);
  const id = await add('once');
  assert.equal((await inputs.take(botId))?.text, 'once');
  await reopen();
  await settles(id, 'failed');
  const next = await add('next');
  await settles(next, 'delivered');
  assert.deepEqual(written, ['next']);
});

test('a text that is too old, or for another run, is not delivered', async (t) => {
  const { clock, written, reopen, add, settles } = await stage(t);
  const old = await add('old');
  clock.advance(inputFreshMs + 1);
  const [before, after] = [await add('run 1', { run: 1 }), await add('run 3', { run: 3 })];
  await reopen();
  await settles(old, 'failed');
  await settles(before, 'offline');
  await settles(after, 'offline');
  assert.deepEqual(written, []);
});

test('a text that was taken back is not delivered', async (t) => {
  const { inputs, written, reopen, add, settles } = await stage(t);
  await inputs.remove(await add('taken back'));
  await reopen();
  await settles(await add('kept'), 'delivered');
  assert.deepEqual(written, ['kept']);
});

test('a write that hangs holds up its own bot only; its end is told', async (t) => {
  const { control, written, otherBotId, reopen, add, settles } = await stage(t);
  const hang = Promise.withResolvers<void>();
  control.write = (containerId) => (containerId === botId ? hang.promise : Promise.resolve());
  await reopen();
  const [slow, behind] = [await add('slow'), await add('behind')];
  await settles(await add('other', { id: otherBotId }), 'delivered');
  assert.deepEqual(written, ['other']);
  await settles(slow, 'writing');
  hang.reject(new EngineError('unread', ''));
  await settles(slow, 'unread');
  await settles(behind, 'unread');
});

for (const [code, state] of [
  ['unread', 'unread'],
  ['refused', 'offline'],
  ['unmanaged', 'offline'],
  ['timeout', 'failed'],
  ['unavailable', 'failed'],
] as const) {
  test(`the engine's ${code} is ${state}, and is not tried again`, async (t) => {
    const { control, reopen, add, settles } = await stage(t);
    let calls = 0;
    control.write = async () => {
      calls++;
      throw new EngineError(code, '');
    };
    await reopen();
    await settles(await add('x'), state);
    assert.equal(calls, 1);
  });
}

test('no text is in the database in clear while it waits, nor at all once it was handed out', async (t) => {
  const { database, inputs, add } = await stage(t);
  const id = await add('a secret canary');
  const row = () => database.db.selectFrom('inputs').select('text').where('id', '=', id).executeTakeFirstOrThrow();
  assert.match((await row()).text, /^v1\./);
  await inputs.take(botId);
  assert.equal((await row()).text, '');
});

test('a caller that nobody comes to waits so long and takes its text back; so many may wait', async (t) => {
  const { database, inputs, clock, otherBotId, written, reopen } = await stage(t);
  const own = async (_: unknown, id: string) =>
    aBot({ id }, { run: 2, runGeneration: 1, runState: 'running', runStdin: true });
  const service = new InputsService({ database, bots: { own }, inputs, clock });
  const caller = { userId: 'u', sessionId: 's', role: 'user' as const };
  const calls = Array.from({ length: inputsMax }, () => service.send(caller, botId, 'x'));
  const results = Promise.allSettled(calls);
  await until(async () => (await inputs.count(botId)) === inputsMax);
  await assert.rejects(service.send(caller, botId, 'one more'), { code: 'bot_busy', message: 'Bot is busy: input' });
  const other = service.send(caller, otherBotId, 'x');
  const refused = assert.rejects(other, { code: 'engine_unavailable' });
  await until(async () => (await inputs.count(otherBotId)) === 1);
  clock.advance(inputPatienceMs);
  await refused;
  for (const result of await results)
    assert.equal(result.status === 'rejected' && result.reason.code, 'engine_unavailable');
  assert.deepEqual([await inputs.count(botId), await inputs.count(otherBotId)], [0, 0]);
  await reopen();
  assert.deepEqual(written, []);
});

test('a bot that is deleted while its text waits is not online', async (t) => {
  const { database, inputs, clock } = await stage(t);
  const own = async () => aBot({ id: botId }, { run: 2, runGeneration: 1, runState: 'running', runStdin: true });
  const service = new InputsService({ database, bots: { own }, inputs, clock });
  const refused = assert.rejects(service.send({ userId: 'u', sessionId: 's', role: 'user' }, botId, 'x'), {
    code: 'bot_not_online',
  });
  await until(async () => (await inputs.count(botId)) === 1);
  await database.db.deleteFrom('bots').where('id', '=', botId).execute();
  clock.advance(inputPatienceMs);
  await refused;
});
