// Filters, search, and copied text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogChunk } from './line-store.ts';
import { findInChunk, noFilter, passes, rowsAsJsonLines, rowsAsText, runsOf } from './log-filter.ts';
import type { LineRow, LogRow } from './log-row.ts';

function line(seq: number, text: string, more: Partial<LineRow> = {}): LineRow {
  return { kind: 'line', seq, ts: '2026-01-31T12:00:00.000Z', run: 1, stream: 'stdout', text, partial: false, ...more };
}

const rows: LogRow[] = [
  line(1, 'hello \x1b[31mred\x1b[0m'),
  line(2, '[ERROR] no', { stream: 'stderr' }),
  { kind: 'dropped', seq: 3, ts: '2026-01-31T12:00:00.000Z', run: 2, count: 5, reason: 'flood' },
  line(4, '[warn] hello', { run: 2 }),
  { kind: 'gap', seq: 5, to: 9, reason: 'skipped' },
];
const chunks: LogChunk[] = [{ key: 0, rows, runBefore: null }];

function shown(filter: Partial<typeof noFilter>): number[] {
  return rows.filter((row) => passes(row, { ...noFilter, ...filter })).map((row) => row.seq);
}

test('filters', () => {
  assert.deepEqual(shown({}), [1, 2, 3, 4, 5]);
  assert.deepEqual(shown({ stream: 'stderr' }), [2, 3, 5]);
  assert.deepEqual(shown({ run: 1 }), [1, 2, 5]);
  assert.deepEqual(shown({ level: 'warn' }), [2, 3, 4, 5]);
  assert.deepEqual(shown({ level: 'error' }), [2, 3, 5]);
});

test('search finds what can be seen, among what is shown', () => {
  assert.deepEqual(findInChunk(chunks[0]!, noFilter, 'HELLO R'), [1]);
  assert.deepEqual(findInChunk(chunks[0]!, noFilter, 'hello'), [1, 4]);
  assert.deepEqual(findInChunk(chunks[0]!, { ...noFilter, run: 2 }, 'hello'), [4]);
  assert.deepEqual(findInChunk(chunks[0]!, noFilter, '[31m'), []);
});

test('runs, and what is copied and saved', () => {
  assert.deepEqual(runsOf(chunks), [1, 2]);
  assert.equal(rowsAsText(rows), 'hello red\n[ERROR] no\n[warn] hello\n');
  const [first] = rowsAsJsonLines(rows).split('\n');
  assert.equal(JSON.parse(first!).text, 'hello \x1b[31mred\x1b[0m');
});
