// What contract and domain both list is the same list: neither may import the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages as toldLanguages } from '../../packages/contract/src/bots.ts';
import { eventTypes as toldEventTypes } from '../../packages/contract/src/bot-events.ts';
import { eventTypes } from '../../packages/server/src/core/domain/event.ts';
import { languages } from '../../packages/server/src/core/domain/languages.ts';

test('languages', () => {
  assert.deepEqual(toldLanguages, languages);
});

test('types of events', () => {
  assert.deepEqual(toldEventTypes, eventTypes);
});
