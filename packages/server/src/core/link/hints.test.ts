// Hints between two halves over a connection: each change is told, many of one key once, and nothing after the end.
import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { Topic } from '../lib/topic.ts';
import { Hints, type Side } from './hints.ts';

interface Half {
  topic: Topic;
  heard: [string, unknown][];
  side: Side;
}

function half(facts: unknown, values: Record<string, unknown> = {}): Half {
  const topic = new Topic();
  const heard: [string, unknown][] = [];
  const side: Side = {
    tells: [
      {
        name: 'things',
        listen: (tell) => topic.onAny(tell),
        valueOf: (key) => values[key],
        everything: () => Object.keys(values),
      },
    ],
    hears: [{ name: 'things', hear: (key, value) => heard.push([key, value]), hearAll() {} }],
    state: () => facts,
  };
  return { topic, heard, side };
}

/** Resolves when what was written before has come through. */
async function passed(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('both sides hear of keys with their values, and of the other side’s state', async () => {
  const [left, right] = [half({ fault: null }, { a: { bytes: 1 } }), half('right')];
  const [one, other] = duplexPair();
  const [first, second] = [new Hints(one, left.side), new Hints(other, right.side)];
  await passed();
  assert.deepEqual(right.heard, [['a', { bytes: 1 }]], 'what the store does not hold is told at the beginning');
  for (let count = 0; count < 1000; count++) left.topic.publish('b');
  right.topic.publish('grüße\n"');
  await passed();
  assert.deepEqual(right.heard.slice(1), [['b', undefined]]);
  assert.deepEqual(left.heard, [['grüße\n"', undefined]]);
  assert.deepEqual([first.state, second.state], ['right', { fault: null }]);
  first.close();
  await first.ended;
  await second.ended;
  left.topic.publish('c');
  right.topic.publish('c');
  await passed();
  assert.equal(left.heard.length + right.heard.length, 3);
});

test('keys that the other side does not take wait, each once', async () => {
  const left = half(null);
  const [one, other] = duplexPair();
  const hints = new Hints(one, left.side);
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 5000; index++) left.topic.publish(`key ${index}`);
    await passed();
  }
  assert.ok(one.writableLength < 1024 * 1024, 'what is not taken is not written');
  const right = half(null);
  const second = new Hints(other, right.side);
  while (new Set(right.heard.map(([key]) => key)).size < 5000) await passed();
  assert.ok(right.heard.length < 10_000, `${right.heard.length}`);
  hints.close();
  await second.ended;
});

test('what is no line of ours ends the connection', async () => {
  for (const bytes of ['nonsense\n', `{"name":"${'x'.repeat(100_000)}`]) {
    const [one, other] = duplexPair();
    const hints = new Hints(one, half(null).side);
    other.on('error', () => {});
    other.write(bytes);
    await hints.ended;
    assert.ok(one.destroyed);
  }
});
