// Findings about the clock and the images.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClockFacts, judgeClock } from './clock.ts';
import { judgeImages } from './images.ts';

const now = Date.parse('2026-05-01T10:20:30Z');
const said = (facts: Partial<ClockFacts>) => {
  const { state, text } = judgeClock({ now, madeAt: now - 1000, isKept: true, ...facts });
  return `${state} ${text}`;
};

test('a clock that is kept, is not, or is wrong', () => {
  assert.equal(said({}), 'ok the clock says 2026-05-01 10:20 UTC, set by a time server');
  assert.equal(said({ isKept: null, madeAt: null }), 'ok the clock says 2026-05-01 10:20 UTC');
  assert.equal(said({ isKept: false }), 'warn the clock says 2026-05-01 10:20 UTC; no time server sets it');
  assert.equal(
    said({ madeAt: Date.parse('2026-06-01T00:00:00Z') }),
    'fix the clock says 2026-05-01 10:20 UTC, but this install was created on 2026-06-01 00:00 UTC',
  );
});

test('images that are there, and those that the first start makes', () => {
  assert.equal(judgeImages([]).state, 'ok');
  const { state, text } = judgeImages(['java 25', 'rust 1.85']);
  assert.equal(`${state} ${text}`, 'warn no image yet for java 25, rust 1.85');
});
