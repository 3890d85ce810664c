// Order and bounds of the queue: owners, lanes, keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedQueue, type Lane } from './keyed-queue.ts';

/** Keys are `<owner><number>`; work ends when the test says so. */
function makeQueue<L extends string>(lanes: Record<L, Lane>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const aborted: string[] = [];
  const errors: unknown[] = [];
  let now = 1_000;
  const queue = new KeyedQueue<L>({
    lanes,
    ownerOf: (key) => key.charAt(0),
    async work(key, lane, signal) {
      begun.push(`${key} ${lane}`);
      signal.addEventListener('abort', () => aborted.push(key));
      await new Promise<void>((resolve) => ends.set(key, resolve));
    },
    onError: (_key, error) => errors.push(error),
    now: () => now,
  });
  const end = async (...keys: string[]) => {
    for (const key of keys) ends.get(key)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, begun, end, aborted, errors, pass: (ms: number) => (now += ms) };
}

test('owners take turns, however much one of them adds first', async () => {
  const { queue, begun, end } = makeQueue({ all: { workers: 2 } });
  for (const key of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) queue.add(key, 'all');
  assert.deepEqual(begun, ['a1 all', 'a2 all']);
  await end('a1');
  await end('a2');
  await end('b1');
  await end('c1');
  await end('a3');
  assert.deepEqual(begun.slice(2), ['b1 all', 'a3 all', 'c1 all', 'b2 all', 'a4 all']);
});

test('an owner occupies its share of the workers only', async () => {
  const { queue, begun, end } = makeQueue({ all: { workers: 3, perOwner: 2 } });
  for (const key of ['a1', 'a2', 'a3']) queue.add(key, 'all');
  assert.deepEqual(begun, ['a1 all', 'a2 all']);
  queue.add('b1', 'all');
  assert.deepEqual(begun.at(-1), 'b1 all');
  await end('a1');
  assert.deepEqual(begun.at(-1), 'a3 all');
});

test('lanes do not wait for each other, but a key runs in one at a time', async () => {
  const { queue, begun, end } = makeQueue({ quick: { workers: 1 }, slow: { workers: 1 } });
  queue.add('a1', 'slow');
  queue.add('a2', 'slow');
  queue.add('a2', 'quick');
  queue.add('a1', 'quick');
  assert.deepEqual(begun, ['a1 slow', 'a2 quick']);
  await end('a2');
  assert.equal(begun.length, 2, 'a1 is running, and so is the worker of the slow lane');
  await end('a1');
  assert.deepEqual(begun.slice(2).toSorted(), ['a1 quick', 'a2 slow']);
});

test('a key added several times runs once, and once more when it was running', async () => {
  const { queue, begun, end } = makeQueue({ all: { workers: 4 } });
  for (let i = 0; i < 3; i++) queue.add('a1', 'all');
  for (let i = 0; i < 3; i++) queue.add('a1', 'all');
  await end('a1');
  await end('a1');
  assert.deepEqual(begun, ['a1 all', 'a1 all']);
  await queue.idle();
});

test('the oldest wait counts waits for a free worker, not those behind the own work', async () => {
  const { queue, end, pass } = makeQueue({ all: { workers: 2, perOwner: 1 } });
  queue.add('a1', 'all');
  queue.add('a2', 'all');
  queue.add('a1', 'all');
  pass(500);
  assert.equal(queue.oldestWaitMs, 0);
  queue.add('b1', 'all');
  queue.add('c1', 'all');
  pass(300);
  assert.equal(queue.oldestWaitMs, 300);
  await end('b1');
  assert.equal(queue.oldestWaitMs, 0);
});

test('abort and stop fire the signals of running work; stop forgets what waits', async () => {
  const { queue, begun, aborted, end, errors } = makeQueue({ all: { workers: 2 } });
  for (const key of ['a1', 'b1', 'c1']) queue.add(key, 'all');
  queue.abort('b1');
  queue.abort('c1');
  assert.deepEqual(aborted, ['b1']);
  const stopped = queue.stop();
  assert.deepEqual(aborted, ['b1', 'a1']);
  queue.add('d1', 'all');
  await end('a1', 'b1');
  await stopped;
  assert.deepEqual([begun, errors], [['a1 all', 'b1 all'], []]);
});

test('failed work is reported and holds up nobody', async () => {
  const errors: string[] = [];
  const queue = new KeyedQueue({
    lanes: { all: { workers: 1 } },
    work: (key) => Promise.reject(new Error(key)),
    onError: (key, error) => errors.push(`${key} ${(error as Error).message}`),
    now: () => 0,
  });
  queue.add('a', 'all');
  queue.add('b', 'all');
  await queue.idle();
  assert.deepEqual(errors, ['a a', 'b b']);
});
