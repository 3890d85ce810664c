// Names of days.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayText } from './day-texts.ts';

const noon = new Date(2026, 0, 31, 12).getTime();
const day = 24 * 3_600_000;

test('the last two days have names, older ones a date', () => {
  assert.equal(dayText(noon - 11 * 3_600_000, 'en', noon), 'Today');
  assert.equal(dayText(noon - 13 * 3_600_000, 'en', noon), 'Yesterday');
  assert.equal(dayText(noon, 'pt-BR', noon), 'Hoje');
  assert.equal(dayText(noon - 2 * day, 'en', noon), 'Thursday, January 29, 2026');
});
