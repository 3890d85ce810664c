// The state machine's tables: status from desired and observed state, and the decision of each
// request in each state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aBot } from '../../../test/support/sample-bot.ts';
import type { Exit, Observed, DesiredState } from './bot.ts';
import {
  decideDelete,
  decideKill,
  phaseOf,
  decideRestart,
  decideStart,
  statusOf,
  statusReasonOf,
  decideStop,
} from './status.ts';

const idle = aBot().observed;
const exit: Exit = {
  at: 1,
  run: 1,
  code: 1,
  signal: null,
  oom: false,
  reason: 'crashed',
  message: '',
  lastLines: [],
  uptimeSeconds: 1,
  memoryPeakMb: null,
};

function bot(desired: Partial<DesiredState>, observed: Partial<Observed> = {}) {
  return {
    desired: { state: 'running' as const, generation: 1, kill: false, graceSeconds: null, ...desired },
    observed: { ...idle, ...observed },
  };
}

const states = {
  new: bot({ state: 'stopped', generation: 0 }),
  offline: bot({ state: 'stopped', generation: 2 }, { run: 1, runState: 'ended', runGeneration: 1 }),
  exited: bot({}, { run: 1, runState: 'ended', runGeneration: 1, lastExit: { ...exit, reason: 'exited' } }),
  waiting: bot({}, { run: 1, runState: 'ended', runGeneration: 1, retryAt: 99, failures: 1, lastExit: exit }),
  starting: bot({}),
  creating: bot({}, { run: 1, runState: 'creating', runGeneration: 1 }),
  restarting: bot({ generation: 2 }, { run: 1, runState: 'running', runGeneration: 1, containerId: 'c' }),
  online: bot({}, { run: 1, runState: 'running', runGeneration: 1, containerId: 'c' }),
  checking: bot({}, { run: 1, runState: 'running', runGeneration: 1, containerId: 'c', checkPath: '/health' }),
  stopping: bot(
    { state: 'stopped', generation: 2 },
    { run: 1, runState: 'running', runGeneration: 1, containerId: 'c' },
  ),
};

test('status', () => {
  const seen = Object.fromEntries(Object.entries(states).map(([name, state]) => [name, statusOf(state)]));
  assert.deepEqual(seen, {
    new: 'offline',
    offline: 'offline',
    exited: 'offline',
    waiting: 'offline',
    starting: 'starting',
    creating: 'starting',
    restarting: 'starting',
    checking: 'starting',
    online: 'online',
    stopping: 'stopping',
  });
});

test('requests', () => {
  const seen = Object.fromEntries(
    Object.entries(states).map(([name, state]) => [
      name,
      [decideStart(state), decideRestart(state), decideStop(state), decideKill(state), decideDelete(state, false)].map(
        (d) => (d.kind === 'conflict' ? d.code : d.kind === 'accept' ? d.desired : d.kind),
      ),
    ]),
  );
  const offline = ['running', 'running', 'bot_already_offline', 'bot_already_offline', 'deleted'];
  const starting = ['bot_already_starting', 'running', 'stopped', 'stopped', 'bot_not_offline'];
  assert.deepEqual(seen, {
    new: offline,
    offline,
    exited: offline,
    waiting: ['running', 'running', 'stopped', 'stopped', 'deleted'],
    starting,
    creating: starting,
    restarting: starting,
    checking: starting,
    online: ['bot_already_online', 'running', 'stopped', 'stopped', 'bot_not_offline'],
    stopping: ['bot_stopping', 'bot_stopping', 'nothing', 'stopped', 'bot_not_offline'],
  });
});

test('a wait that was called off is no phase', () => {
  const waiting = { ...states.waiting.observed, phase: 'waiting' as const };
  assert.equal(phaseOf({ ...states.waiting, observed: waiting }), 'waiting');
  assert.equal(phaseOf({ ...states.offline, observed: waiting }), null);
});

test('force deletes in any state', () => {
  for (const state of Object.values(states))
    assert.deepEqual(decideDelete(state, true), { kind: 'accept', desired: 'deleted' });
});

test('reasons explain an offline bot that should run, and a silent engine', () => {
  assert.equal(statusReasonOf(states.waiting, true), 'crashed');
  assert.equal(statusReasonOf(states.exited, true), 'exited');
  assert.equal(statusReasonOf(states.online, true), null);
  assert.equal(statusReasonOf(states.offline, true), null);
  assert.equal(statusReasonOf(states.online, false), 'engine_unavailable');
  const looping = { ...states.waiting, observed: { ...states.waiting.observed, failures: 5 } };
  assert.equal(statusReasonOf(looping, true), 'crash_loop');
  assert.equal(statusReasonOf({ ...looping, suspension: '' }, false), 'suspended');
  assert.equal(statusReasonOf({ ...states.online, suspension: 'why' }, true), null);
});
