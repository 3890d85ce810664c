// The live connection of the tab: follows GET /events/stream, updates the query cache, and
// reconnects. Lives outside of components; starts after sign-in.
import type { BotEventData } from '@botel/contract/bot-events';
import type { BotData } from '@botel/contract/bots';
import type { ServerEvent } from '@botel/contract/events';
import { isApiError } from '../lib/api-error.ts';
import { hiddenLong, untilVisible } from '../lib/page-visibility.ts';
import { serverAway } from '../lib/server-away.ts';
import { ValueStore } from '../lib/value-store.ts';
import { sessionEnded } from './calls.ts';
import { backOffMs, changeOf, isTurn, patchRecentMetrics, patchList } from './live-changes.ts';
import { openEvents } from './open-events.ts';
import { botQuery, botsQuery, recentMetricsQuery, usageQuery } from './queries.ts';
import { queryClient } from './query-client.ts';
import { recordLiveMetrics, liveMetricsOf } from './live-metrics.ts';

export type LiveState =
  | { kind: 'off' | 'connecting' | 'online' | 'paused' }
  /** `at`: ms since the epoch. `isBlocked`: three tries in a row failed. */
  | { kind: 'retrying'; at: number; isBlocked: boolean };

const blockedAfter = 3;
const blockedReadMs = 15_000;
/** Changes that need a refetch are batched for this long. */
const gatherMs = 300;

/** `2026-01-31T12:00` */
const minuteLength = 16;

export const liveState = new ValueStore<LiveState>({ kind: 'off' });

let running: AbortController | null = null;

/** Connects until `stopLive`. Idempotent. */
export function startLive(): void {
  if (running) return;
  running = new AbortController();
  void followWhileVisible(running.signal);
}

export function stopLive(): void {
  running?.abort();
  running = null;
  liveState.set({ kind: 'off' });
}

/** Retries now. */
export function retryLive(): void {
  wake?.();
}

let wake: (() => void) | null = null;

async function followWhileVisible(signal: AbortSignal): Promise<void> {
  let lastEventId: string | null = null;
  let failures = 0;
  while (!signal.aborted) {
    const hidden = hiddenLong(signal);
    try {
      liveState.set({ kind: 'connecting' });
      for await (const event of openEvents('/events/stream', lastEventId, hidden.signal)) {
        if (liveState.get().kind !== 'online') {
          liveState.set({ kind: 'online' });
          serverAway.set(false);
          if (failures > 0 || lastEventId !== null) void queryClient.invalidateQueries();
          failures = 0;
        }
        if (event.id !== null) lastEventId = event.id;
        apply(event);
      }
      failures = Math.max(failures, 0) + 1;
    } catch (error) {
      if (isApiError(error) && error.status === 401) return waitForSession(signal);
      if (!isApiError(error) || error.status === 0) serverAway.set(!signal.aborted);
      failures++;
    } finally {
      hidden.end();
    }
    if (signal.aborted) return;
    if (document.hidden) {
      liveState.set({ kind: 'paused' });
      await untilVisible(signal);
    } else await pause(failures, signal);
  }
}

/** Refetches everything after a new sign-in. */
async function waitForSession(signal: AbortSignal): Promise<void> {
  liveState.set({ kind: 'off' });
  if (signal === running?.signal) running = null;
  const release = sessionEnded.subscribe(() => {
    if (sessionEnded.get()) return;
    release();
    if (!signal.aborted) startLive();
  });
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const waitMs = backOffMs(failures, Math.random());
  const isBlocked = failures >= blockedAfter;
  liveState.set({ kind: 'retrying', at: Date.now() + waitMs, isBlocked });
  const reading = isBlocked ? setInterval(() => void queryClient.invalidateQueries(), blockedReadMs) : null;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', () => wake?.(), { once: true });
  });
  wake = null;
  if (reading) clearInterval(reading);
}

function apply(event: ServerEvent): void {
  const change = changeOf(event);
  if (change) return patch(change.botId, change.fields);
  if (event.event !== 'event') return;
  const { bot_id: botId, type } = event.data as BotEventData;
  readAgain(['events']);
  for (const each of ['events', 'metrics', 'runs']) readAgain([each, botId]);
  readAgain(botQuery(botId).queryKey);
  if (type.startsWith('backup.')) readAgain(['backups', botId]);
  if (['bot.created', 'bot.deleted', 'bot.updated', 'bot.suspended', 'bot.unsuspended'].includes(type)) {
    readAgain(botsQuery.queryKey);
    readAgain(recentMetricsQuery.queryKey);
    readAgain(usageQuery.queryKey);
  }
}

function patch(botId: string, fields: Partial<BotData>): void {
  const { queryKey } = botQuery(botId);
  const bot = queryClient.getQueryData(queryKey);
  const listed = queryClient.getQueryData(botsQuery.queryKey)?.bots.find(({ id }) => id === botId);
  if (fields.usage) {
    // A minute is stored once it is over.
    if (isLaterMinute(liveMetricsOf(botId).at(-1)?.at, fields.usage.at)) readAgain(['metrics', botId]);
    recordLiveMetrics(botId, fields.usage);
  }
  if (isTurn(bot, fields)) readAgain(queryKey);
  if (isTurn(listed, fields)) {
    readAgain(botsQuery.queryKey);
    readAgain(recentMetricsQuery.queryKey);
  }
  queryClient.setQueryData(queryKey, (old) => old && { ...old, ...fields });
  queryClient.setQueryData(botsQuery.queryKey, (old) => old && patchList(old, botId, fields));
  const { usage } = fields;
  if (usage)
    queryClient.setQueryData(recentMetricsQuery.queryKey, (old) => old && patchRecentMetrics(old, botId, usage));
}

function isLaterMinute(before: string | undefined, now: string): boolean {
  return before !== undefined && before.slice(0, minuteLength) !== now.slice(0, minuteLength);
}

const due = new Map<string, readonly unknown[]>();

function readAgain(queryKey: readonly unknown[]): void {
  if (due.size === 0)
    setTimeout(() => {
      const keys = [...due.values()];
      due.clear();
      for (const each of keys) void queryClient.invalidateQueries({ queryKey: each });
    }, gatherMs);
  due.set(JSON.stringify(queryKey), queryKey);
}
