// Row 34: fifty calls at once on one bot, of every kind: at most one container at any time, and in
// the end the bot is where the last of the accepted wishes wants it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@botel/contract/client';
import { until } from '../../packages/server/test/support/until.ts';
import { Random } from '../../packages/server/test/simulation/random.ts';
import { arrives } from '../docker/arrival.ts';
import { containersOfBot, createCountingBot } from '../docker/counting-bot.ts';
import { startDockerServer } from '../docker/fixture.ts';

const calls = 50;

test('row 34: 50 calls at once on one bot, three times; then all of them and a deletion', async (t) => {
  await using server = await startDockerServer();
  const { client, engine } = server;
  const random = new Random(34);
  const id = await createCountingBot(client);
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) most = Math.max(most, (await containersOfBot(engine, id)).length);
  })();
  for (let round = 0; round < 3; round++) {
    const before = (await client.bot(id)).generation;
    const answers = await Promise.all(
      Array.from({ length: calls }, () => {
        const verb = random.pick(['start', 'stop', 'restart', 'kill'] as const);
        return client.lifecycle(verb, id).then(() => 'accepted', codeOf);
      }),
    );
    const accepted = answers.filter((answer) => answer === 'accepted').length;
    const { generation, desired_status } = await client.bot(id);
    assert.ok(generation > before && generation <= before + accepted, 'each accepted wish counts once at most');
    t.diagnostic(`${accepted} of ${calls} were accepted; the last one wants it ${desired_status}`);
    const isThere = async () => (await client.bot(id)).status === desired_status;
    await until(isThere, 60_000);
    await arrives(server, { id, verb: desired_status === 'online' ? 'start' : 'stop' });
  }
  await Promise.all([
    ...Array.from({ length: calls }, () =>
      client.lifecycle(random.pick(['start', 'stop', 'restart', 'kill'] as const), id).catch(codeOf),
    ),
    client.deleteBot(id, true),
  ]);
  await arrives(server, { id, verb: 'delete' });
  isOver = true;
  await watching;
  assert.equal(most, 1);
});

/** A refusal in words; anything else is a fault. */
function codeOf(error: unknown): string {
  assert.ok(error instanceof ApiError && [404, 409].includes(error.status), String(error));
  return error.code;
}
