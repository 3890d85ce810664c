// Events of desired states and of ends of runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExitReason } from '@botel/contract/vocabulary';
import { aBot } from '../../../test/support/sample-bot.ts';
import type { Exit } from './bot.ts';
import { exitEvents, lifecycleEvent, updateEvent } from './event.ts';

const bot = aBot();

function exit(reason: ExitReason): Exit {
  const rest = { lastLines: [], uptimeSeconds: 1.23456, memoryPeakMb: 7 };
  return { at: 0, run: 3, code: 1, signal: null, oom: false, reason, message: 'Exited with code 1', ...rest };
}

test('an end is one event, of the type of its reason', () => {
  const typeOf = (reason: ExitReason) => exitEvents(bot, exit(reason), { failures: 1, retryAt: 0 }).map((e) => e.type);
  assert.deepEqual(typeOf('crashed'), ['bot.crashed']);
  assert.deepEqual(typeOf('oom'), ['bot.oom']);
  assert.deepEqual(typeOf('build_failed'), ['install.failed']);
  for (const reason of ['stopped', 'killed', 'exited', 'start_failed', 'vanished', 'interrupted'] as const)
    assert.deepEqual(typeOf(reason), ['bot.offline'], reason);
});

test('an end tells why and what comes next', () => {
  const [event] = exitEvents(bot, exit('crashed'), { failures: 1, retryAt: 1000 });
  assert.equal(event?.message, 'Bot "greeter": Exited with code 1');
  assert.deepEqual(event?.detail, {
    run: 3,
    reason: 'crashed',
    code: 1,
    signal: null,
    uptime_seconds: 1.235,
    memory_peak_mb: 7,
    hint: null,
    next_restart_at: '1970-01-01T00:00:01.000Z',
  });
});

test('the fifth failure in a row is a crash loop, and no other is', () => {
  const types = (failures: number) => exitEvents(bot, exit('crashed'), { failures, retryAt: 0 }).map((e) => e.type);
  assert.deepEqual(types(4), ['bot.crashed']);
  assert.deepEqual(types(5), ['bot.crashed', 'bot.crash_loop']);
  assert.deepEqual(types(6), ['bot.crashed']);
});

test('a desired state is told by what it asks for and what it finds', () => {
  const desired = { generation: 2, kill: false, graceSeconds: null };
  assert.equal(lifecycleEvent(bot, { ...desired, state: 'running' }, 'starting').type, 'bot.starting');
  assert.equal(lifecycleEvent(bot, { ...desired, state: 'stopped' }, 'stopping').type, 'bot.stopping');
  assert.equal(lifecycleEvent(bot, { ...desired, state: 'stopped' }, 'offline').type, 'bot.offline');
  assert.equal(lifecycleEvent(bot, { ...desired, state: 'deleted' }, 'stopping').type, 'bot.deleted');
  const killed = lifecycleEvent(bot, { ...desired, state: 'stopped', kill: true }, 'stopping');
  assert.equal(killed.message, 'Bot "greeter" is being killed');
});

test('changed settings are named as in the API', () => {
  const change = { name: 'x', memoryMb: 512, startupCommand: undefined, stop: {} };
  assert.deepEqual(updateEvent(bot, change).detail, { fields: ['name', 'memory', 'stop'] });
});
