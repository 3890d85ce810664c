// Status labels, groups of the list, and which actions are available when.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { actionsOf, killFault } from './lifecycle.ts';
import { groupOf, statusWord } from './status-word.ts';

describe('the word for a status', () => {
  test('of an offline bot is its reason', () => {
    assert.equal(statusWord({ status: 'offline', status_reason: 'oom' }).key, 'status.oom');
    assert.equal(statusWord({ status: 'offline', status_reason: 'build_failed' }).key, 'status.could_not_start');
    assert.equal(statusWord({ status: 'offline', status_reason: null }).key, 'status.offline');
    assert.equal(statusWord({ status: 'offline', status_reason: 'engine_unavailable' }).key, 'status.offline');
  });

  test('of a bot that works is the work, whatever came before', () => {
    assert.equal(statusWord({ status: 'starting', status_reason: 'crashed' }).key, 'status.starting');
    assert.equal(statusWord({ status: 'online', status_reason: null }).tone, 'good');
  });

  test('puts it into one group', () => {
    assert.equal(groupOf({ status: 'offline', status_reason: 'crash_loop' }), 'crashed');
    assert.equal(groupOf({ status: 'stopping', status_reason: null }), 'working');
    assert.equal(groupOf({ status: 'offline', status_reason: null }), 'offline');
  });
});

describe('actions', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const shown = (status: 'offline' | 'starting' | 'online' | 'stopping', retry: string | null = null) =>
    actionsOf({ status, phase: null, next_restart_at: retry }).map(({ label, why }) =>
      why ? `${label}: ${why}` : label,
    );

  test('are those of the table', () => {
    assert.deepEqual(shown('offline'), ['verb.start', 'verb.restart', 'verb.stop: why.offline']);
    assert.deepEqual(shown('offline', at), ['verb.start', 'verb.restart', 'verb.stop_trying']);
    assert.deepEqual(shown('starting'), ['verb.start: why.starting', 'verb.restart', 'verb.cancel_start']);
    assert.deepEqual(shown('online'), ['verb.start: why.online', 'verb.restart', 'verb.stop']);
    assert.deepEqual(shown('stopping'), ['verb.start: why.stopping', 'verb.restart: why.stopping', 'verb.kill']);
  });

  test('wait for a restore', () => {
    const [start, restart] = actionsOf({ status: 'offline', phase: 'restoring', next_restart_at: null });
    assert.deepEqual([start.why, restart.why], ['why.restoring', 'why.restoring']);
  });

  test('wait for an admin where the bot is suspended', () => {
    const shown = { status: 'offline', phase: null, next_restart_at: null, suspended: true } as const;
    const [start, restart] = actionsOf(shown);
    assert.deepEqual([start.why, restart.why], ['why.suspended', 'why.suspended']);
  });

  test('there is something to kill while anything runs or waits', () => {
    const fault = (status: 'offline' | 'stopping', retry: string | null) =>
      killFault({ status, phase: null, next_restart_at: retry });
    assert.deepEqual(
      [fault('offline', null), fault('offline', at), fault('stopping', null)],
      ['why.offline', null, null],
    );
  });
});
