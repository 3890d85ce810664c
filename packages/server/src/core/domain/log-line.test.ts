// Log lines: encoding and the shortcuts that read encoded lines without parsing them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeLine,
  encodeLine,
  isDropped,
  type LogEntry,
  matchesFilter,
  maxTextBytes,
  seqOf,
  splitText,
  timeOf,
} from './log-line.ts';

const ts = '2026-01-31T12:00:00.000Z';

const entries: fc.Arbitrary<LogEntry> = fc.oneof(
  fc.record({
    ts: fc
      .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    run: fc.nat(),
    stream: fc.constantFrom('stdout' as const, 'stderr' as const, 'system' as const),
    text: fc.string({ unit: 'binary' }),
    partial: fc.boolean(),
  }),
  fc.record({
    ts: fc.constant(ts),
    run: fc.nat(),
    dropped: fc.constant(true as const),
    count: fc.option(fc.nat()),
    reason: fc.constantFrom('flood' as const, 'source_lost' as const),
  }),
);

test('a line reads back as it was written, and is the document of the contract', () => {
  assert.equal(
    encodeLine(12, { ts, run: 3, stream: 'stdout', text: 'a "b"', partial: false }),
    `{"seq":12,"ts":"${ts}","run":3,"stream":"stdout","text":"a \\"b\\"","partial":false}`,
  );
  assert.equal(
    encodeLine(13, { ts, run: 3, dropped: true, count: null, reason: 'source_lost' }),
    `{"seq":13,"ts":"${ts}","run":3,"dropped":true,"count":null,"reason":"source_lost"}`,
  );
  fc.assert(
    fc.property(entries, fc.nat(), (entry, seq) => {
      const line = encodeLine(seq, entry);
      assert.ok(!line.includes('\n'));
      const record = decodeLine(line);
      if ('text' in entry) entry.text = JSON.parse(JSON.stringify(entry.text)) as string;
      assert.deepEqual(record, { seq, ...entry });
    }),
  );
});

test('what is read without parsing is what parsing finds', () => {
  const filters = fc.record({
    stream: fc.option(fc.constantFrom('stdout' as const, 'stderr' as const, 'system' as const), { nil: undefined }),
    firstRun: fc.option(fc.nat(5), { nil: undefined }),
    lastRun: fc.option(fc.nat(5), { nil: undefined }),
  });
  fc.assert(
    fc.property(entries, fc.nat(), fc.nat(5), filters, (entry, seq, run, filter) => {
      const line = encodeLine(seq, { ...entry, run });
      const record = decodeLine(line);
      assert.equal(seqOf(line), String(seq));
      assert.equal(timeOf(line), record.ts);
      assert.equal(isDropped(line), 'dropped' in record);
      const expected =
        (filter.firstRun === undefined || run >= filter.firstRun) &&
        (filter.lastRun === undefined || run <= filter.lastRun) &&
        (filter.stream === undefined || 'dropped' in record || record.stream === filter.stream);
      assert.equal(matchesFilter(line, filter), expected);
    }),
  );
});

test('a long text is cut between characters, and nothing of it is lost', () => {
  assert.deepEqual(splitText('short'), ['short']);
  assert.deepEqual(splitText(''), ['']);
  for (const unit of ['x', 'é', '€', '🤖']) {
    const text = `a${unit.repeat(20_000)}`;
    const pieces = splitText(text);
    assert.ok(pieces.length > 1);
    assert.equal(pieces.join(''), text);
    for (const piece of pieces) assert.ok(Buffer.byteLength(piece) <= maxTextBytes);
  }
});
