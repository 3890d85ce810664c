// GET /bots/:id/runs
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { RunListData } from '@botel/contract/runs';
import { startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ended, offlineBot, onlineBot } from './bot-states.ts';
import { assertRefused, botNotFound, invalidInput, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;

async function runs(id: string, query = ''): Promise<RunListData> {
  const { status, body } = await send<RunListData>(client, `GET /bots/${id}/runs${query}`);
  assert.equal(status, 200);
  return body.data;
}

describe('GET /bots/:id/runs 200', () => {
  test('how each run ended, the newest first; the present one has no end', async () => {
    const { id } = await onlineBot(fixture);
    assert.equal((await runs(id)).runs[0]?.exit, null);
    await ended(fixture, id, 3);
    await client.lifecycle('start', id);
    await until(async () => (await client.bot(id)).status === 'online');
    const { runs: found, count, next_cursor: next } = await runs(id);
    assert.deepEqual([found.map(({ run }) => run), count, next], [[2, 1], 2, null]);
    const [present, past] = found;
    assert.deepEqual([present?.kind, present?.exit], ['bot', null]);
    assert.ok(present?.started_at && past?.started_at && past.began_at <= past.started_at);
    const { last_exit: exit } = await client.bot(id);
    assert.deepEqual(past.exit, exit);
    assert.deepEqual([past.exit?.code, past.exit?.message, past.automatic], [3, 'Exited with code 3', false]);
  });

  test('an end with long last lines is stored short, the message too', async () => {
    const { id } = await onlineBot(fixture);
    for (let line = 1; line <= 30; line++) fixture.machine.write(id, `${line} ${'\u{1}'.repeat(2_500)}`);
    const { last_exit: exit } = await ended(fixture, id, 127);
    assert.ok(JSON.stringify(exit).length < 20_000, `${JSON.stringify(exit).length} bytes`);
    assert.ok(JSON.stringify((await runs(id)).runs).length < 20_000);
    assert.match(exit?.last_lines.at(-1) ?? '', /^30 .* … \[cut\]$/);
    const { body } = await send(client, `GET /bots/${id}/events?limit=100`);
    assert.ok(JSON.stringify(body).length < 20_000, `${JSON.stringify(body).length} bytes of events`);
  });

  test('page by page', async () => {
    const { id } = await offlineBot(fixture, 'node exit 1 after 0');
    for (let run = 1; run <= 3; run++) {
      await client.lifecycle('start', id);
      await until(async () => ((await client.bot(id)).last_exit?.run ?? 0) >= run);
    }
    await client.lifecycle('stop', id).catch(() => undefined);
    const first = await runs(id, '?limit=2');
    const rest = await runs(id, `?limit=100&cursor=${first.next_cursor}`);
    const numbers = [...first.runs, ...rest.runs].map(({ run }) => run);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => other - one),
    );
    assert.deepEqual([first.runs.length, numbers.at(-1), numbers.length], [2, 1, first.count]);
  });

  test('a bot that never ran has none', async () => {
    const { id } = await offlineBot(fixture);
    assert.deepEqual(await runs(id), { runs: [], count: 0, next_cursor: null });
  });
});

test('400, 404', async () => {
  const { id } = await offlineBot(fixture);
  assertRefused(
    await send(client, `GET /bots/${id}/runs?limit=0`),
    invalidInput('limit', 'must be a whole number between 1 and 100'),
  );
  assertRefused(await send(client, `GET /bots/${id}/runs?cursor=abc`), invalidInput('cursor', 'is not valid'));
  assertRefused(await send(stranger, `GET /bots/${id}/runs`), botNotFound);
});
