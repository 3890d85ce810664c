// Every state that the reconciler can meet, and its next step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observed, DesiredState } from '../../core/domain/bot.ts';
import type { Observation } from '../engine/engine.ts';
import { decide, type Facts } from './decide.ts';
import { aBot } from '../../../test/support/sample-bot.ts';

const now = 1_000_000;

function container(change: Partial<Observation> = {}): Observation {
  return {
    containerId: 'c1',
    botId: 'b',
    generation: 1,
    run: 1,
    state: 'running',
    startedAt: now - 5_000,
    finishedAt: null,
    exitCode: null,
    oomKilled: false,
    error: '',
    address: '172.18.0.2',
    ...change,
  };
}

function step(
  desired: Partial<DesiredState>,
  observed: Partial<Observed>,
  seen: Observation | null,
  facts: Partial<Facts> = {},
) {
  return decide(aBot({}, observed, desired), seen, {
    now,
    engineSince: 0,
    buildLimitMs: 600_000,
    closing: false,
    answer: null,
    mustStop: null,
    ...facts,
  });
}

const creating: Partial<Observed> = {
  run: 1,
  runState: 'creating',
  runGeneration: 1,
  phase: 'creating',
  phaseSince: now - 1_000,
};
const running: Partial<Observed> = {
  run: 1,
  runState: 'running',
  runGeneration: 1,
  containerId: 'c1',
  address: '172.18.0.2',
};
const ended: Partial<Observed> = { run: 1, runState: 'ended', runGeneration: 1 };

test('a new desired state begins a run, which is created, started and noted', () => {
  assert.deepEqual(step({}, {}, null), { kind: 'begin', cause: 'user' });
  assert.deepEqual(step({}, creating, null), { kind: 'create' });
  assert.deepEqual(step({}, creating, container({ state: 'created' })), { kind: 'start', containerId: 'c1' });
  assert.equal(step({}, creating, container()).kind, 'record_running');
  assert.deepEqual(step({}, running, container()), { kind: 'watch', containerId: 'c1', until: null });
});

test('a run that is reached elsewhere than before is noted, unless it is on its way out; a build is never reached', () => {
  const moved = container({ address: '172.18.0.9' });
  assert.deepEqual(step({}, running, moved), { kind: 'record_address', address: '172.18.0.9' });
  assert.deepEqual(step({}, running, container({ address: null })), { kind: 'record_address', address: null });
  assert.equal(step({ state: 'stopped', generation: 2 }, running, moved).kind, 'stop');
  assert.equal(step({}, { ...running, runKind: 'build', address: null, startedAt: now }, moved).kind, 'watch');
});

test('a run that has to answer is watched until it does, or its time is over, or the clock jumps', () => {
  const checking: Partial<Observed> = { ...running, checkPath: '/up', phase: 'checking', phaseSince: now - 1_000 };
  const check = { kind: 'check', containerId: 'c1', until: now + 59_000 };
  assert.deepEqual(step({}, checking, container()), check);
  assert.deepEqual(step({}, checking, container(), { answer: { status: 503 } }), check);
  for (const status of [200, 204, 302, 399]) {
    const ready = { kind: 'record_ready', answer: { status } };
    assert.deepEqual(step({}, checking, container(), { answer: { status } }), ready);
  }
  const late: Partial<Observed> = { ...checking, phaseSince: now - 60_000 };
  const answer = { fault: 'nothing listens on port 3000' };
  assert.deepEqual(step({}, late, container(), { answer }), { kind: 'record_ready', answer });
  assert.deepEqual(step({}, late, container(), { engineSince: now - 10 }), { ...check, until: now + 59_990 });
  assert.equal(step({}, checking, container(), { now: now - 3_600_000 }).kind, 'record_ready');
  assert.equal(step({}, checking, container({ state: 'exited', exitCode: 1 })).kind, 'record_end');
  assert.equal(step({ state: 'stopped', generation: 2 }, checking, container()).kind, 'stop');
});

test('an end is recorded before its container goes, and only then is the next run begun', () => {
  const gone = container({ state: 'exited', exitCode: 1, finishedAt: now });
  assert.equal(step({}, running, gone).kind, 'record_end');
  assert.equal(step({}, creating, gone).kind, 'record_end');
  assert.deepEqual(step({}, ended, gone), { kind: 'remove', containerId: 'c1' });
  assert.deepEqual(step({}, { ...ended, retryAt: now + 1 }, null), { kind: 'wait', until: now + 1 });
  assert.deepEqual(step({}, { ...ended, retryAt: now }, null), { kind: 'begin', cause: 'retry' });
  assert.deepEqual(step({}, ended, null), { kind: 'rest' });
  assert.deepEqual(step({}, { ...ended, containerId: 'c1' }, null), { kind: 'record_gone' });
});

test('a container that vanished, or could not be started', () => {
  assert.deepEqual(step({}, running, null), { kind: 'record_vanished' });
  assert.equal(
    step({}, creating, container({ state: 'created', error: 'exec: not found', exitCode: 127 })).kind,
    'record_end',
  );
});

test('a start that takes too long, with more time while an image is made, and not while the engine was away', () => {
  const late = { ...creating, phaseSince: now - 60_001 };
  assert.deepEqual(step({}, late, null), { kind: 'record_overdue' });
  assert.deepEqual(step({}, { ...late, phase: 'pulling' }, null), { kind: 'create' });
  const pulling: Partial<Observed> = { ...late, phase: 'pulling', phaseSince: now - 600_001 };
  assert.deepEqual(step({}, pulling, null), { kind: 'record_overdue' });
  assert.deepEqual(step({}, late, null, { engineSince: now - 10 }), { kind: 'create' });
});

test('a run that must not go on is stopped by Botel itself, once, unless its owner was first', () => {
  const mustStop = { mustStop: 'disk_full' } as const;
  const stop = { kind: 'stop', containerId: 'c1', run: 1, graceMs: 10_000 };
  assert.deepEqual(step({}, running, container(), mustStop), { ...stop, because: 'disk_full' });
  const asked: Partial<Observed> = { ...running, stopRun: 1, stopDeadlineAt: now };
  assert.deepEqual(step({}, asked, container(), mustStop), { kind: 'wait', until: now + 2_000 });
  assert.deepEqual(step({ state: 'stopped', generation: 2 }, running, container(), mustStop), stop);
  assert.deepEqual(step({}, { ...ended, lastExit: null }, null, mustStop), { kind: 'rest' });
});

test('stop: the signal once, then waiting, then SIGKILL', () => {
  const desired: Partial<DesiredState> = { state: 'stopped', generation: 2 };
  assert.deepEqual(step(desired, running, container()), { kind: 'stop', containerId: 'c1', run: 1, graceMs: 10_000 });
  assert.deepEqual(step({ ...desired, graceSeconds: 3 }, running, container()), {
    kind: 'stop',
    containerId: 'c1',
    run: 1,
    graceMs: 3_000,
  });
  const asked = { ...running, stopRun: 1, stopDeadlineAt: now };
  assert.deepEqual(step(desired, asked, container()), { kind: 'wait', until: now + 2_000 });
  assert.deepEqual(step(desired, { ...asked, stopDeadlineAt: now - 2_000 }, container()), {
    kind: 'kill',
    containerId: 'c1',
    run: 1,
  });
  assert.deepEqual(step({ ...desired, kill: true }, asked, container()), { kind: 'kill', containerId: 'c1', run: 1 });
  assert.deepEqual(step(desired, { ...ended, phase: 'waiting' }, null), { kind: 'clear_plans' });
  assert.deepEqual(step(desired, ended, null), { kind: 'rest' });
});

test('a clock that was turned back to before the end does not lengthen the wait', () => {
  const exit = { run: 1, code: 1, signal: null, oom: false, reason: 'crashed', message: '', lastLines: [] } as const;
  const lastExit = { ...exit, at: now - 100, uptimeSeconds: 0, memoryPeakMb: null };
  const waiting: Partial<Observed> = { ...ended, retryAt: now + 300_000, lastExit: { ...lastExit, lastLines: [] } };
  assert.deepEqual(step({}, waiting, null), { kind: 'wait', until: now + 300_000 });
  const back = { now: now - 3_600_000 };
  assert.deepEqual(step({}, waiting, null, back), { kind: 'begin', cause: 'retry' });
  assert.deepEqual(step({ state: 'stopped', generation: 2 }, waiting, null, back), { kind: 'clear_plans' });
});

test('a clock that was turned back does not lengthen a stop', () => {
  const stopping: Partial<Observed> = { ...running, stopRun: 1, stopDeadlineAt: now + 300_000 };
  const desired: Partial<DesiredState> = { state: 'stopped', generation: 2 };
  assert.deepEqual(step(desired, stopping, container()), { kind: 'wait', until: now + 302_000 });
  assert.equal(step(desired, stopping, container(), { now: now - 3_600_000 }).kind, 'kill');
});

test('a newer desired state takes the old run down first', () => {
  assert.equal(step({ generation: 2 }, running, container()).kind, 'stop');
  assert.deepEqual(step({ generation: 2 }, creating, null), { kind: 'cancel_run' });
  assert.deepEqual(step({ generation: 2 }, creating, container({ state: 'created' })), { kind: 'cancel_run' });
  assert.deepEqual(step({ generation: 2 }, { ...ended, retryAt: now + 99 }, null), { kind: 'begin', cause: 'user' });
});

test('containers of another run go', () => {
  assert.deepEqual(step({}, { ...creating, run: 2 }, container({ state: 'exited' })), {
    kind: 'remove',
    containerId: 'c1',
  });
  assert.equal(step({}, { ...creating, run: 2 }, container()).kind, 'stop');
  assert.equal(step({}, ended, container()).kind, 'stop');
});

test('a container in removal is waited for', () => {
  assert.deepEqual(step({}, running, container({ state: 'removing' })), { kind: 'wait', until: now + 500 });
});

test('deleted: the container goes first, then everything', () => {
  assert.equal(step({ state: 'deleted', generation: 2, kill: true }, running, container()).kind, 'kill');
  assert.deepEqual(step({ state: 'deleted', generation: 2 }, ended, null), { kind: 'purge' });
  assert.deepEqual(step({ state: 'deleted', generation: 2 }, {}, null), { kind: 'purge' });
});

test('closing takes bots down and begins nothing', () => {
  assert.equal(step({}, running, container(), { closing: true }).kind, 'stop');
  assert.deepEqual(step({}, {}, null, { closing: true }), { kind: 'rest' });
  assert.deepEqual(step({}, creating, null, { closing: true }), { kind: 'cancel_run' });
});

test('a build runs to its end or its limit, then the bot is begun; a stop kills it', () => {
  const building: Partial<Observed> = { ...running, runKind: 'build', startedAt: now - 5_000 };
  assert.deepEqual(step({}, building, container()), { kind: 'watch', containerId: 'c1', until: now + 595_000 });
  assert.equal(step({}, { ...building, startedAt: now - 600_000 }, container()).kind, 'kill');
  assert.equal(step({ state: 'stopped', generation: 2 }, building, container()).kind, 'kill');
  const built: Partial<Observed> = { ...ended, runState: 'built', runKind: 'build' };
  assert.deepEqual(step({}, built, container({ state: 'exited' })), { kind: 'remove', containerId: 'c1' });
  assert.deepEqual(step({}, built, null), { kind: 'begin', cause: 'built' });
  assert.deepEqual(step({ generation: 2 }, built, null), { kind: 'begin', cause: 'user' });
  assert.deepEqual(step({ state: 'stopped', generation: 2 }, built, null), { kind: 'rest' });
});

test('nothing of a suspended bot is begun: a build that was asked for waits', () => {
  const facts = { now, engineSince: 0, buildLimitMs: 600_000, closing: false, answer: null, mustStop: null };
  const asked = (suspension: string | null) =>
    aBot({ buildEpoch: 1, suspension }, { runState: 'none' }, { state: 'stopped' });
  assert.deepEqual(decide(asked(null), null, facts), { kind: 'begin', cause: 'reinstall' });
  assert.deepEqual(decide(asked(''), null, facts), { kind: 'rest' });
});
