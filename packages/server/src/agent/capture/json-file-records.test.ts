// Parsing json-file lines into entries; damaged lines are counted, never thrown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxTextBytes } from '../../core/domain/log-line.ts';
import { entriesOf } from './json-file-records.ts';

const now = '2026-02-01T00:00:00.000Z';

function line(log: string, time = '2026-01-31T12:00:00.123456789Z', stream = 'stdout'): string {
  return `${JSON.stringify({ log, stream, time })}\n`;
}

function textsOf(lines: string): unknown[] {
  return entriesOf(lines, 1, now).map((entry) => ('text' in entry ? [entry.text, entry.partial] : entry.count));
}

test('a record becomes a line with its own time in ms', () => {
  assert.deepEqual(entriesOf(line('hello\n') + line('oops\n', '2026-01-31T12:00:01.5Z', 'stderr'), 3, now), [
    { ts: '2026-01-31T12:00:00.123Z', run: 3, stream: 'stdout', text: 'hello', partial: false },
    { ts: '2026-01-31T12:00:01.500Z', run: 3, stream: 'stderr', text: 'oops', partial: false },
  ]);
  const times = [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00.1Z',
    '2026-01-31T12:00:00.12Z',
    '2026-01-31T13:00:00.123+01:00',
  ];
  assert.deepEqual(
    times.map((time) => entriesOf(line('x\n', time), 1, now)[0]?.ts),
    ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.100Z', '2026-01-31T12:00:00.120Z', '2026-01-31T12:00:00.123Z'],
  );
});

test('a record without a newline goes on in the next one', () => {
  assert.deepEqual(textsOf(line('begin') + line('end\n')), [
    ['begin', true],
    ['end', false],
  ]);
});

test('of lines rewritten by carriage returns the last state is kept', () => {
  assert.deepEqual(textsOf(line('10%\r50%\r100%\n') + line('dos\r\n') + line('\r\n') + line('\n') + line('a\rb\r\r')), [
    ['100%', false],
    ['dos', false],
    ['', false],
    ['', false],
    ['b', true],
  ]);
});

test('a text over the limit is cut into partial pieces', () => {
  const entries = entriesOf(line(`${'€'.repeat(10_000)}\n`), 1, now);
  assert.deepEqual(
    entries.map((entry) => 'partial' in entry && entry.partial),
    [true, false],
  );
  for (const entry of entries) assert.ok('text' in entry && Buffer.byteLength(entry.text) <= maxTextBytes);
});

test('damaged lines are counted where they stand', () => {
  const damage = [
    '{"log":"x',
    'null\n',
    '[]\n',
    '{"log":1,"stream":"stdout","time":"2026-01-31T12:00:00Z"}\n',
    '\0\0\n',
  ].join('\n');
  assert.deepEqual(textsOf(`${line('a\n')}${damage}\n${line('b\n', 'yesterday')}${line('c\n')}junk\n`), [
    ['a', false],
    6,
    ['c', false],
    1,
  ]);
  assert.deepEqual(entriesOf('junk\n', 2, now), [{ ts: now, run: 2, dropped: true, count: 1, reason: 'source_lost' }]);
});

test('no input makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.json(), (text, json) => {
      for (const entry of entriesOf(`${text}\n${json}\n${line(text)}`, 1, now)) assert.ok(entry.ts.length === 24);
    }),
  );
});
