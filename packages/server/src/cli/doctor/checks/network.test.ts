// Findings about the firewall.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeWalls } from './network.ts';

test('in force, not there yet, or broken', () => {
  const states = (faults: string[]) => judgeWalls(faults, 'note').map(({ state, text }) => `${state} ${text}`);
  assert.deepEqual(states([]), ['ok the firewall is in force (note)']);
  assert.deepEqual(states(['v4: the chains are missing', 'v6: the chains are missing']), [
    'warn the firewall is not in force: bots can reach this machine',
  ]);
  assert.deepEqual(states(['v4: INPUT has other rules before', 'the port x is not isolated']), [
    'fix the firewall is incomplete: v4: INPUT has other rules before; the port x is not isolated',
  ]);
});
