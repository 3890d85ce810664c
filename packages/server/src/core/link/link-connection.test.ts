// A link: every change is sent, repeated changes of a key once, and nothing after the end.
import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { Topic } from '../lib/topic.ts';
import { LinkConnection, type LinkEndpoint } from './link-connection.ts';

interface Half {
  topic: Topic;
  received: [string, unknown][];
  endpoint: LinkEndpoint;
}

function half(facts: unknown, values: Record<string, unknown> = {}): Half {
  const topic = new Topic();
  const received: [string, unknown][] = [];
  const endpoint: LinkEndpoint = {
    publications: [
      {
        name: 'things',
        listen: (publish) => topic.onAny(publish),
        valueOf: (key) => values[key],
        everything: () => Object.keys(values),
      },
    ],
    subscriptions: [{ name: 'things', onKey: (key, value) => received.push([key, value]), onAnyKey() {} }],
    state: () => facts,
  };
  return { topic, received, endpoint };
}

/** Resolves when everything written before has arrived. */
async function passed(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('both ends receive keys with their values, and of the other’s state', async () => {
  const [left, right] = [half({ fault: null }, { a: { bytes: 1 } }), half('right')];
  const [one, other] = duplexPair();
  const [first, second] = [new LinkConnection(one, left.endpoint), new LinkConnection(other, right.endpoint)];
  await passed();
  assert.deepEqual(right.received, [['a', { bytes: 1 }]], 'what the store does not hold is sent at the beginning');
  for (let count = 0; count < 1000; count++) left.topic.publish('b');
  right.topic.publish('grüße\n"');
  await passed();
  assert.deepEqual(right.received.slice(1), [['b', undefined]]);
  assert.deepEqual(left.received, [['grüße\n"', undefined]]);
  assert.deepEqual([first.state, second.state], ['right', { fault: null }]);
  first.close();
  await first.ended;
  await second.ended;
  left.topic.publish('c');
  right.topic.publish('c');
  await passed();
  assert.equal(left.received.length + right.received.length, 3);
});

test('keys that the other end does not read wait, each once', async () => {
  const left = half(null);
  const [one, other] = duplexPair();
  const link = new LinkConnection(one, left.endpoint);
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 5000; index++) left.topic.publish(`key ${index}`);
    await passed();
  }
  assert.ok(one.writableLength < 1024 * 1024, 'what is not taken is not written');
  const right = half(null);
  const second = new LinkConnection(other, right.endpoint);
  while (new Set(right.received.map(([key]) => key)).size < 5000) await passed();
  assert.ok(right.received.length < 10_000, `${right.received.length}`);
  link.close();
  await second.ended;
});

test('what is no line of ours ends the connection', async () => {
  for (const bytes of ['nonsense\n', `{"name":"${'x'.repeat(100_000)}`]) {
    const [one, other] = duplexPair();
    const link = new LinkConnection(one, half(null).endpoint);
    other.on('error', () => {});
    other.write(bytes);
    await link.ended;
    assert.ok(one.destroyed);
  }
});
