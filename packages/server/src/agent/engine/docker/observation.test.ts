// Reading inspect answers, on shapes recorded from Engine 20.10.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwn, observationOf } from './observation.ts';
import type { InspectBody } from './observation.ts';

const labels = { 'botel.install': 'i1', 'botel.bot': 'b1', 'botel.generation': '7', 'botel.run': '3' };
const never = '0001-01-01T00:00:00Z';

function bodyWith(state: Partial<InspectBody['State']>): InspectBody {
  const State = { Status: 'created', ExitCode: 0, OOMKilled: false, Error: '', StartedAt: never, FinishedAt: never };
  return { Id: 'c1', Config: { Labels: labels }, State: { ...State, ...state } };
}

test('a created container', () => {
  assert.deepEqual(observationOf(bodyWith({}), 'botel'), {
    containerId: 'c1',
    botId: 'b1',
    generation: 7,
    run: 3,
    state: 'created',
    startedAt: null,
    finishedAt: null,
    exitCode: null,
    oomKilled: false,
    error: '',
    address: null,
  });
});

test('a failed start stays created and carries the text', () => {
  const seen = observationOf(bodyWith({ ExitCode: 127, Error: 'OCI runtime create failed' }), 'botel');
  assert.deepEqual([seen.state, seen.exitCode, seen.error], ['created', null, 'OCI runtime create failed']);
});

test('a running container has no exit code, and no end unless it had one before', () => {
  const seen = observationOf(bodyWith({ Status: 'running', StartedAt: '2026-11-21T09:28:01.308857447Z' }), 'botel');
  assert.deepEqual(
    [seen.state, seen.startedAt, seen.finishedAt, seen.exitCode],
    ['running', Date.UTC(2026, 10, 21, 9, 28, 1, 308), null, null],
  );
});

test('a running container has its address on the network of the bots, another network tells nothing', () => {
  const seen = (Status: string, Networks: Record<string, { IPAddress: string }> | null) =>
    observationOf({ ...bodyWith({ Status }), NetworkSettings: { Networks } }, 'botel').address;
  const both = { bridge: { IPAddress: '172.17.0.2' }, botel: { IPAddress: '172.18.0.7' } };
  assert.equal(seen('running', both), '172.18.0.7');
  assert.equal(seen('exited', both), null);
  assert.equal(seen('running', { botel: { IPAddress: '' } }), null);
  assert.equal(seen('running', { none: { IPAddress: '' } }), null);
  assert.equal(seen('running', null), null);
});

test('an ended container', () => {
  const seen = observationOf(
    bodyWith({ Status: 'exited', ExitCode: 137, OOMKilled: true, FinishedAt: '2026-11-21T09:28:05.5Z' }),
    'botel',
  );
  assert.deepEqual(
    [seen.state, seen.exitCode, seen.oomKilled, seen.finishedAt],
    ['exited', 137, true, Date.UTC(2026, 10, 21, 9, 28, 5, 500)],
  );
});

test('an end that was stamped before its start counts as the start', () => {
  const times = { StartedAt: '2026-11-21T09:28:05.5Z', FinishedAt: '2026-11-21T09:28:05.497Z' };
  const seen = observationOf(bodyWith({ Status: 'exited', ...times }), 'botel');
  assert.equal(seen.finishedAt, seen.startedAt);
});

for (const [status, state] of [
  ['paused', 'running'],
  ['restarting', 'running'],
  ['dead', 'exited'],
  ['removing', 'removing'],
] as const) {
  test(`${status} counts as ${state}`, () =>
    assert.equal(observationOf(bodyWith({ Status: status }), 'botel').state, state));
}

test('only the own label makes a container own', () => {
  assert.equal(isOwn(bodyWith({}), 'i1'), true);
  assert.equal(isOwn(bodyWith({}), 'i2'), false);
  assert.equal(isOwn({ ...bodyWith({}), Config: { Labels: null } }, 'i1'), false);
});
