// Budgets, turns and ends of work that owners cause.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from '../../core/domain/errors.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { OwnerWork, type Work, type WorkRequest } from './owner-work.ts';

const request: WorkRequest = { kind: 'change', ownerId: 'owner', botId: 'bot', field: 'path' };
const deleted = fail.botNotFound();

/** Work that goes on until it is aborted. */
function endless(work: Work): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Error('aborted'));
    if (work.signal.aborted) end();
    work.signal.addEventListener('abort', end);
  });
}

test('an owner has two changes at once, others theirs; the next one begins when one ends', async () => {
  const work = new OwnerWork();
  const [first, second] = [await work.begin(request), await work.begin(request)];
  const begun: string[] = [];
  const third = work.run(request, async () => void begun.push('third'));
  const fourth = work.run(request, async () => void begun.push('fourth'));
  await work.run({ ...request, ownerId: 'other' }, async () => void begun.push('other'));
  await work.run({ ...request, kind: 'list' }, async () => void begun.push('list'));
  assert.deepEqual(begun, ['other', 'list']);
  first[Symbol.dispose]();
  await Promise.all([third, fourth]);
  assert.deepEqual(begun, ['other', 'list', 'third', 'fourth']);
  second[Symbol.dispose]();
  assert.equal(work.size, 0);
});

test('more than wait are refused, and who waits can leave', async () => {
  const work = new OwnerWork();
  await using running = { [Symbol.asyncDispose]: () => work.close() };
  const caller = new AbortController();
  const waiting = Array.from({ length: 34 }, () => work.run({ ...request, signal: caller.signal }, endless));
  const all = Promise.allSettled(waiting);
  await assert.rejects(
    work.run(request, async () => {}),
    fail.rateLimited(5),
  );
  caller.abort();
  for (const end of await all) assert.deepEqual(end, { status: 'rejected', reason: fail.invalidRequest() });
  assert.equal(work.size, 0);
  assert.ok(running);
});

test('bytes and entries over the budget are errors about the field', async () => {
  const work = new OwnerWork();
  const bounded = { ...request, bytesMax: 2 * 1024 * 1024 };
  await work.run(bounded, async (budget) => {
    budget.read(bounded.bytesMax);
    budget.write(bounded.bytesMax);
  });
  const over = fail.invalidInput('path', 'holds more than 2 MB, counting holes');
  for (const verb of ['read', 'write'] as const)
    await assert.rejects(
      work.run(bounded, async (budget) => budget[verb](bounded.bytesMax + 1)),
      over,
    );
  const count = async (budget: Work) => {
    for (let entry = 0; entry <= 100_000; entry++) budget.entry();
  };
  await assert.rejects(work.run(request, count), fail.invalidInput('path', 'holds too many files'));
});

test('work ends with its time, its bot, its owner and the server', async () => {
  const clock = new ManualClock();
  const work = new OwnerWork({ clock, refusal: async () => null });
  const late = work.run(request, endless);
  const backup = work.run({ ...request, kind: 'backup' }, endless);
  clock.advance(300_000);
  await assert.rejects(late, fail.invalidInput('path', 'takes too long'));

  const ofBot = work.run(request, endless);
  const other = work.run({ ...request, botId: 'other' }, endless);
  // The backup goes on without its caller, but not without its bot.
  const ofOwner = Promise.all([work.abortOwner('owner'), assert.rejects(other, fail.accountSuspended())]);
  await Promise.all([ofOwner, assert.rejects(ofBot, fail.accountSuspended())]);
  await Promise.all([work.abortBot('bot'), assert.rejects(backup, deleted)]);

  const last = work.run(request, endless);
  await Promise.all([work.close(), assert.rejects(last, fail.notReady('the server is stopping'))]);
  await assert.rejects(
    work.run(request, async () => {}),
    fail.notReady('the server is stopping'),
  );
});

test('what its bot or owner is asked for again, while it runs', async () => {
  const clock = new ManualClock();
  const asked: [string, boolean][] = [];
  const work = new OwnerWork({
    clock,
    async refusal({ botId }, { needsCaller }) {
      asked.push([botId, needsCaller]);
      return botId === 'gone' ? deleted : null;
    },
  });
  const gone = work.run({ ...request, botId: 'gone' }, endless);
  const stays = work.run({ ...request, kind: 'backup' }, endless);
  clock.advance(2000);
  await assert.rejects(gone, deleted);
  assert.deepEqual(asked, [
    ['gone', true],
    ['bot', false],
  ]);
  await Promise.all([work.close(), assert.rejects(stays)]);
});
