// Writes metrics and runs of the last hours into the store, as the collector and the reconciler
// would have.
import { inDatabase } from '../../packages/server/test/api/database.ts';
import type { Fixture } from '../../packages/server/test/support/fixture.ts';

const minuteMs = 60_000;
const mebibyte = 1024 * 1024;

const twoHours = Array.from({ length: 119 }, (_, index) => index + 1).filter((ago) => ago < 30 || ago > 40);

/**
 * Two hours of a bot that crashed, was offline from 40 to 30 minutes ago, and was then built and
 * backed up. `minutes`: how long ago something was measured.
 */
export async function seedMetrics(fixture: Fixture, botId: string, minutes = twoHours): Promise<void> {
  const now = Date.now();
  const minute = Math.floor(now / minuteMs) * minuteMs;
  await inDatabase(fixture, async (db) => {
    const bot = await db
      .updateTable('bots')
      .set({ created_at: now - 120 * minuteMs })
      .where('id', '=', botId)
      .returning(['owner_id'])
      .executeTakeFirstOrThrow();
    for (const ago of minutes)
      await db
        .insertInto('usage_minutes')
        .values({
          bot_id: botId,
          at: minute - ago * minuteMs,
          span_ms: minuteMs,
          run: ago > 40 ? 1 : 3,
          cpu_percent: Math.round(18 + 12 * Math.sin(ago / 5) + 4 * Math.sin(ago * 1.7)),
          memory_bytes: Math.round((120 + 40 * Math.sin(ago / 17) + 3 * Math.sin(ago * 2)) * mebibyte),
          disk_bytes: 42 * mebibyte + (120 - ago) * 9_000,
          net_rx_bytes: Math.round(60 * 1024 * (4 + 3 * Math.sin(ago / 3))),
          net_tx_bytes: Math.round(60 * 1024 * (2 + Math.sin(ago / 4))),
          pids: 11 + (ago % 3),
        })
        .execute();
    const run = { bot_id: botId, generation: 1, exit: null };
    const times = (began: number, end: number) => ({
      began_at: now - began * minuteMs,
      started_at: now - began * minuteMs,
      ended_at: now - end * minuteMs,
    });
    await db
      .insertInto('runs')
      .values([
        { ...run, run: 101, kind: 'bot', automatic: 0, ...times(119, 41), end_reason: 'crashed' },
        { ...run, run: 102, kind: 'build', automatic: 0, ...times(33, 31), end_reason: 'exited' },
        { ...run, run: 103, kind: 'bot', automatic: 1, ...times(30.5, 1), end_reason: 'oom' },
      ])
      .execute();
    await db
      .insertInto('events')
      .values({
        bot_id: botId,
        owner_id: bot.owner_id,
        at: now - 12 * minuteMs,
        type: 'backup.completed',
        actor: '{"kind":"system","id":null,"name":"Botel"}',
        message: 'Backup "nightly" was made',
        detail: '{}',
      })
      .execute();
  });
}
