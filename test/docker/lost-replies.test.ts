// The engine does what it is asked, but its replies are lost on the way: nothing is done twice,
// nobody is blamed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../packages/server/test/support/until.ts';
import { waitForLine, waitOnline, waitForStatus } from './bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers } from './counting-bot.ts';
import { openFaultyEngine, type Rule } from './faulty-engine.ts';
import { startDockerServer } from './fixture.ts';

/** The replies to the first `count` requests that match are lost. */
function first(count: number, wanted: RegExp): Rule {
  let left = count;
  return (line) => (left > 0 && wanted.test(line) && left-- > 0 ? 'lose' : 'pass');
}

const pairs = [
  [/^POST \S+\/containers\/create/, /^POST \S+\/stop\?/],
  [/^POST \S+\/start$/, /^DELETE /],
] as const;

test('replies to create, start, stop and remove are lost: each is done once', async (t) => {
  await using faulty = await openFaultyEngine();
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: faulty.host });
  const { client, engine } = server;
  const id = await createCountingBot(client);
  let lost = 0;
  for (const [request, end] of pairs) {
    faulty.rule(first(2, request));
    await client.lifecycle('start', id);
    const bot = await waitOnline(client, id);
    await waitForLine(client, id, ({ run, text }) => run === bot.run && text === '3');
    const [container] = await onlyContainers(engine, [id]);
    assert.deepEqual([container?.running, container?.run, bot.restart_count], [true, bot.run, 0]);
    lost += faulty.faults();
    assert.equal(faulty.faults(), 1, 'a container that is there is not made again, nor started');

    faulty.rule(first(1, end));
    await client.lifecycle('stop', id);
    const stopped = await waitForStatus(client, id, 'offline');
    assert.equal(stopped.last_exit?.reason, 'stopped');
    await until(async () => (await containersOfBot(engine, id)).length === 0);
    assert.equal(faulty.faults(), 1);
    lost += faulty.faults();
  }
  t.diagnostic(`${lost} replies were lost, none of the calls was made twice`);
  assert.deepEqual([...(await assertCounts(client, id)).keys()], [1, 2]);
});
