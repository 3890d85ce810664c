// Bandwidth is set once per container and plan, retried after failures, and an incapable machine is
// reported once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgramError } from '../../core/lib/program.ts';
import { limitBandwidth } from './limit-bandwidth.ts';

function world() {
  const state = {
    containers: [{ containerId: 'a', mbit: 5 }],
    calls: [] as string[],
    warnings: 0,
    answer: async () => true,
  };
  const task = limitBandwidth({
    accounts: { limitedContainers: async () => state.containers },
    limit: async (containerId, mbit) => {
      state.calls.push(`${containerId} ${mbit}`);
      return state.answer();
    },
    warn: () => state.warnings++,
  });
  return { state, task };
}

test('once per container and bandwidth', async () => {
  const { state, task } = world();
  await task.run();
  await task.run();
  state.containers.push({ containerId: 'b', mbit: 7 });
  await task.run();
  state.containers = [{ containerId: 'b', mbit: 9 }];
  await task.run();
  assert.deepEqual(state.calls, ['a 5', 'b 7', 'b 9']);
});

test('again while it has no effect; told once where the machine lacks it', async () => {
  const { state, task } = world();
  state.answer = async () => false;
  await task.run();
  state.answer = () => Promise.reject(new ProgramError('There is no program tc', { missing: true }));
  await task.run();
  await task.run();
  assert.deepEqual([state.calls.length, state.warnings], [3, 1]);
  state.answer = async () => true;
  await task.run();
  await task.run();
  assert.equal(state.calls.length, 4);
});
