// GET /bots/:id/logs
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '@botel/contract/client';
import type { LogHistoryData } from '@botel/contract/logs';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';

let fixture: Fixture;
let botId: string;

before(async () => {
  fixture = await startFixture();
  botId = (await fixture.client.createBot({ ...goodBot, startup_command: 'graceful' })).id;
  await fixture.client.lifecycle('start', botId);
  await until(async () => (await fixture.client.bot(botId)).status === 'online');
  for (let index = 1; index <= 5; index++) {
    fixture.machine.write(botId, `line ${index}`, index === 3 ? 'stderr' : 'stdout');
  }
  await until(async () => (await read('q=line%205')).lines.length === 1);
});

after(() => fixture[Symbol.asyncDispose]());

async function read(query: string, client = fixture.client, id = botId): Promise<LogHistoryData> {
  return (await client.call<LogHistoryData>('GET', `/bots/${id}/logs?${query}`)).data;
}

async function textsOf(query: string): Promise<string[]> {
  return (await read(query)).lines.map((line) => ('text' in line ? line.text : ''));
}

function refuses(promise: Promise<unknown>, status: number, message: string): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.message], [status, message]);
    return true;
  });
}

describe('200', () => {
  test('the newest lines, oldest first, exactly as they are streamed', async () => {
    const { lines, has_more } = await read('limit=2');
    assert.equal(has_more, true);
    assert.deepEqual(
      lines.map((line) => 'text' in line && line.text),
      ['line 4', 'line 5'],
    );
    const last = lines.at(-1);
    assert.deepEqual(Object.keys(last ?? {}), ['seq', 'ts', 'run', 'stream', 'text', 'partial']);
    assert.match(last?.ts ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('pages by seq in both directions', async () => {
    const { lines } = await read('limit=2');
    assert.deepEqual(await textsOf(`limit=2&before=${lines[0]?.seq}`), ['line 2', 'line 3']);
    const first = (await read('q=line%201')).lines[0];
    const next = await read(`limit=2&after=${first?.seq}`);
    assert.deepEqual(
      next.lines.map((line) => 'text' in line && line.text),
      ['line 2', 'line 3'],
    );
    assert.equal(next.has_more, true);
    assert.equal(next.next_seq, next.lines.at(-1)?.seq);
    const rest = await read(`after=${next.next_seq}`);
    assert.deepEqual([rest.has_more, rest.next_seq], [false, null]);
    assert.equal((await read('limit=2')).next_seq, lines[0]?.seq);
  });

  test('filters by stream, run, text and time', async () => {
    assert.deepEqual(await textsOf('stream=stderr'), ['line 3']);
    assert.ok((await textsOf('stream=system')).every((text) => !text.startsWith('line')));
    assert.equal((await textsOf('run=1&q=line')).length, 5);
    assert.equal((await textsOf('run=last&q=line')).length, 5);
    assert.deepEqual(await textsOf('run=7'), []);
    assert.deepEqual(await textsOf('q=LINE%204'), ['line 4']);
    assert.deepEqual(await textsOf('since=2999-01-01T00:00:00Z'), []);
    assert.deepEqual(await textsOf('until=1999-01-01T00:00:00Z'), []);
    assert.equal((await textsOf('since=1999-01-01&until=2999-01-01&q=line')).length, 5);
  });

  test('a bot that never ran has no lines', async () => {
    const { id } = await fixture.client.createBot(goodBot);
    assert.deepEqual(await read('', fixture.client, id), { lines: [], has_more: false, next_seq: null });
  });
});

test('400: each parameter is checked', async () => {
  for (const [query, message] of [
    ['limit=0', 'limit must be a whole number between 1 and 1000'],
    ['limit=1001', 'limit must be a whole number between 1 and 1000'],
    ['limit=ten', 'limit must be a whole number between 1 and 1000'],
    ['after=-1', 'after must be a whole number between 0 and 999999999999999'],
    ['before=1.5', 'before must be a whole number between 0 and 999999999999999'],
    ['since=yesterday', 'since must be an ISO 8601 time'],
    ['until=1', 'until must be an ISO 8601 time'],
    ['stream=both', 'stream must be one of: stdout, stderr, build, system'],
    ['run=first', 'run must be a whole number or last'],
    ['q=', 'q must be between 1 and 200 characters'],
    ['limit=1&limit=2', 'limit is not valid'],
  ] as const) {
    await refuses(read(query), 400, message);
  }
});

test('401: without a token', () => refuses(read('', fixture.guest), 401, 'Unauthorized'));

test('404: unknown, malformed and foreign bots alike', async () => {
  await refuses(read('', fixture.stranger), 404, 'Bot not found');
  await refuses(read('', fixture.client, '00000000-0000-4000-8000-000000000000'), 404, 'Bot not found');
  await refuses(read('', fixture.client, 'x'), 404, 'Bot not found');
});
