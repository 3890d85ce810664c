// The stream across cut and refused connections, without a server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '@botel/contract/client';
import type { ServerEvent } from '@botel/contract/events';
import { followLog, type LogConnection } from './follow-log.ts';

interface Answer {
  /** HTTP status of a refusal; 0 = no answer. */
  status?: number;
  /** Numbers of the lines it sends. */
  lines?: number[];
  /** What it sends after them. */
  end?: 'cut' | 'deleted' | 'unauthorized';
}

/** Follows the answers in turn and stops when there are no more. */
async function follow(answers: Answer[]) {
  const lines: number[] = [];
  const opened: (number | null)[] = [];
  const failures: number[] = [];
  const states: LogConnection[] = [];
  const stop = new AbortController();
  const left = [...answers];
  await followLog({
    open(after) {
      opened.push(after);
      const answer = left.shift();
      if (!answer) stop.abort();
      return eventsOf(answer ?? {});
    },
    newest: () => lines.at(-1) ?? null,
    onEvent: ({ event, id }) => event === 'log' && lines.push(Number(id)),
    onConnection: (state) => states.push(state),
    delayMs: (count) => failures.push(count),
    wait: async () => undefined,
    signal: stop.signal,
  });
  return { lines, opened, failures, states };
}

async function* eventsOf({ status, lines = [], end }: Answer): AsyncGenerator<ServerEvent> {
  if (status !== undefined) throw new ApiError(status, 'x', 'refused');
  for (const seq of lines) yield { event: 'log', id: String(seq), data: { seq } };
  if (end === 'cut') throw new Error('cut');
  if (end) yield { event: 'end', id: null, data: { reason: end } };
}

describe('following a log', () => {
  test('resumes behind the last line', async () => {
    const { lines, opened } = await follow([
      { lines: [1, 2, 3] },
      { lines: [4], end: 'cut' },
      { status: 0 },
      { lines: [5] },
    ]);
    assert.deepEqual(lines, [1, 2, 3, 4, 5]);
    assert.deepEqual(opened, [null, 3, 4, 4, 5]);
  });

  test('counts failures in a row', async () => {
    const { failures } = await follow([
      { status: 500 },
      { status: 0 },
      { status: 503 },
      { lines: [1] },
      { status: 502 },
    ]);
    assert.deepEqual(failures, [1, 2, 3, 1, 2]);
  });

  test('ends where the server refuses or has nothing more', async () => {
    const last = async (answer: Answer) => {
      const state = (await follow([answer])).states.at(-1);
      return state?.kind === 'refused' ? state.status : state?.kind;
    };
    for (const status of [401, 403, 404]) assert.equal(await last({ status }), status);
    assert.equal(await last({ end: 'deleted' }), 'ended');
    assert.equal(await last({ end: 'unauthorized' }), 401);
  });

  test('tells how it goes', async () => {
    const { states } = await follow([{ lines: [1], end: 'cut' }, { lines: [2] }]);
    const kinds = states.map((state) => state.kind);
    assert.deepEqual(kinds.slice(0, 5), ['connecting', 'live', 'waiting', 'connecting', 'live']);
  });
});
