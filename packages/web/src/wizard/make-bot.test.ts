// What a bot needs when its draft changed after a failed step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesBetween } from './make-bot.ts';

const input = {
  name: 'ping',
  language: 'nodejs',
  memory: 256,
  startup_command: 'node .',
  environment: { A: '1', B: '2' },
} as const;

test('a draft that is the same changes nothing, in whatever order its variables are', () => {
  const same = { ...input, environment: { B: '2', A: '1' } };
  assert.deepEqual(changesBetween(input, same), { settings: null, environment: null });
});

test('only what was changed is sent; variables are replaced as a whole', () => {
  const changed = changesBetween(input, { ...input, name: 'pong', memory: 128, environment: { A: '1' } });
  assert.deepEqual(changed, { settings: { name: 'pong', memory: 128 }, environment: { A: '1' } });
  const command = changesBetween(input, { ...input, startup_command: 'npm start' });
  assert.deepEqual(command, { settings: { startup_command: 'npm start' }, environment: null });
});
