// The collapsed usage bar, with and without a sample.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { usageSummary } from './usage-summary.ts';

test('a running bot without a sample is waiting for one, not offline', () => {
  const usage = { cpu_percent: 1, memory_mb: 33 } as NonNullable<BotData['usage']>;
  assert.equal(usageSummary({ status: 'online', usage: null }), 'numbers.waiting');
  assert.equal(usageSummary({ status: 'online', usage }), usage);
  assert.equal(usageSummary({ status: 'offline', usage }), 'numbers.none');
  assert.equal(usageSummary({ status: 'starting', usage: null }), 'numbers.none');
});
