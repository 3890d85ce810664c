// Stream events applied to cached data, and the delays between retries.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { backOffMs, changeOf, isTurn, patchRecentMetrics, patchList } from './live-changes.ts';

const bot = { id: 'a', status: 'offline', usage: null } as BotData;
const list = { bots: [bot, { ...bot, id: 'b' }], count: 2 };

describe('an event', () => {
  test('of a status brings its fields', () => {
    const data = { bot_id: 'a', status: 'starting', status_reason: null, phase: 'queued', next_restart_at: null };
    const { bot_id: botId, ...fields } = data;
    assert.deepEqual(changeOf({ event: 'bot.status', id: null, data }), { botId, fields });
  });

  test('of numbers brings them and the uptime', () => {
    const change = changeOf({ event: 'bot.usage', id: null, data: { bot_id: 'a', uptime_seconds: 5, pids: 1 } });
    assert.deepEqual(change?.fields, { usage: { uptime_seconds: 5, pids: 1 }, uptime_seconds: 5 });
  });

  test('of anything else brings nothing', () => {
    assert.equal(changeOf({ event: 'ping', id: null, data: { ts: '' } }), null);
    assert.equal(changeOf({ event: 'event', id: '3', data: { bot_id: 'a', type: 'bot.created' } }), null);
  });
});

describe('a change', () => {
  test('touches its bot only, and keeps the others as they are', () => {
    const patched = patchList(list, 'a', { status: 'online' });
    assert.equal(patched.bots[0]?.status, 'online');
    assert.equal(patched.bots[1], list.bots[1]);
    assert.equal(patchList(list, 'c', { status: 'online' }), list);
  });

  test('of numbers is a point more on the curve of its bot, also of one that had none', () => {
    const point = { at: '2026-01-31T12:00:00.000Z', cpu_percent: 5, memory_mb: 20 };
    const usage = { ...point, pids: 3 } as NonNullable<BotData['usage']>;
    const curves = { b: { uptimePercent: 50, points: [] } };
    const patched = patchRecentMetrics(curves, 'a', usage);
    assert.deepEqual(patched['a'], { uptimePercent: null, points: [point] });
    assert.equal(patched['b'], curves.b);
    const later = { ...usage, at: '2026-01-31T12:00:05.000Z' };
    assert.equal(patchRecentMetrics(patched, 'a', later)['a']?.points.length, 2);
  });

  test('is a turn when the status is another one', () => {
    assert.equal(isTurn(bot, { status: 'starting' }), true);
    assert.equal(isTurn(bot, { status: 'offline' }), false);
    assert.equal(isTurn(bot, { usage: null }), false);
    assert.equal(isTurn(undefined, { status: 'starting' }), false);
  });
});

test('tries come 1 to 30 s apart, each with chance', () => {
  assert.deepEqual(
    [1, 2, 3, 6, 50].map((failures) => backOffMs(failures, 0.5)),
    [1000, 2000, 4000, 30_000, 30_000],
  );
  assert.ok(backOffMs(1, 0) < backOffMs(1, 1));
});
