// Metrics of a bot over a time range, with the starts and ends of its runs, builds and backups.
import type { ExitReason } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { type MetricsQuery, stepsOf } from '../../core/domain/metrics-range.ts';
import { onlineMs } from '../../core/domain/usage.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { EventStore } from '../../core/store/events.ts';
import { minuteMs, type RunTimes, type UsageMinute, type UsagePoint, type UsageStore } from '../../core/store/usage.ts';
import type { BotsService } from '../../core/services/bots.ts';

const maxMarkers = 400;
const dayMs = 24 * 60 * 60 * 1000;
/** Minutes per bot when all bots are shown at once. */
const shortMinutes = 15;
/** Maximum runs read; a bot with more ends in a range is judged by its newest runs. */
const maxRuns = 5_000;
/** Annotation names of backup events. */
const ofBackups = { 'backup.completed': 'backup', 'backup.restored': 'restored' } as const;

type AnnotationType = 'started' | 'built' | 'backup' | 'restored' | ExitReason;

/**
 * Times in ms. `points` has every step, oldest first; `usage` is null where the bot was offline.
 * `restarts` counts the automatic ones.
 */
export interface Metrics {
  stepSeconds: number;
  points: { at: number; usage: Omit<UsagePoint, 'index'> | null; restarts: number }[];
  markers: { at: number; type: AnnotationType }[];
  uptimePercent: number;
}

/** The last minutes of all bots of a caller, from `from` (ms) on; steps without data are null. */
export interface AllCurves {
  from: number;
  stepSeconds: number;
  bots: { id: string; uptimePercent: number; minutes: (UsageMinute | null)[] }[];
}

interface Deps {
  bots: Pick<BotsService, 'own'>;
  store: Pick<BotReader, 'list'>;
  usage: UsageStore;
  events: Pick<EventStore, 'since'>;
  clock: Clock;
}

export class MetricsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Metrics of all bots, with a number of queries independent of the number of bots. */
  async all(caller: Caller): Promise<AllCurves> {
    const { store, usage, clock } = this.#deps;
    const now = clock.now();
    const end = Math.floor(now / minuteMs) * minuteMs;
    const from = end - shortMinutes * minuteMs;
    const [bots, minutes, online] = await Promise.all([
      store.list({ ownerId: caller.userId, sort: 'created' }),
      usage.minutes(caller.userId, from, end),
      usage.onlineMs(caller.userId, now - dayMs, now),
    ]);
    const seriesOf = (known: UsageMinute[]) =>
      Array.from(
        { length: shortMinutes },
        (_, index) => known.find(({ at }) => at === from + index * minuteMs) ?? null,
      );
    return {
      from,
      stepSeconds: minuteMs / 1000,
      bots: bots.map(({ id, createdAt }) => ({
        id,
        uptimePercent: percentOf(online.get(id) ?? 0, Math.min(dayMs, now - createdAt)),
        minutes: seriesOf(minutes.get(id) ?? []),
      })),
    };
  }

  async metrics(caller: Caller, botId: string, query: MetricsQuery): Promise<Metrics> {
    const { bots, usage, events, clock } = this.#deps;
    const bot = await bots.own(caller, botId);
    const { seconds, stepSeconds } = stepsOf(query);
    const [now, stepMs] = [clock.now(), stepSeconds * 1000];
    const count = Math.floor(seconds / stepSeconds);
    // The current minute is stored when it ends, so the last step is the one before it.
    const lastMinute = Math.floor(now / minuteMs) * minuteMs - minuteMs;
    const first = (Math.floor(lastMinute / stepMs) - count + 1) * stepMs;
    const known = new Map<number, UsagePoint>();
    for (const point of await usage.points(bot.id, first, stepMs, first + count * stepMs)) {
      known.set(point.index, point);
    }
    const from = now - seconds * 1000;
    const all = await usage.runs(bot.id, from, maxRuns);
    const runs = all.filter((run) => run.kind === 'bot');
    const restarts = new Map<number, number>();
    for (const { automatic, beganAt } of runs) {
      const index = Math.floor((beganAt - first) / stepMs);
      if (automatic) restarts.set(index, (restarts.get(index) ?? 0) + 1);
    }
    return {
      stepSeconds,
      points: Array.from({ length: count }, (_, index) => ({
        at: first + index * stepMs,
        usage: known.get(index) ?? null,
        restarts: restarts.get(index) ?? 0,
      })),
      markers: newestOf([
        ...markersOf(withPresent(all, bot)),
        ...(await events.since(bot.id, ['backup.completed', 'backup.restored'], from)).map(({ at, type }) => ({
          at,
          type: ofBackups[type],
        })),
      ]).filter(({ at }) => at >= from),
      uptimePercent: uptimeOf(withPresent(runs, bot), Math.max(from, bot.createdAt), now),
    };
  }
}

/** A run's record gets its start time when the run ends; until then the observation has it. */
function withPresent(runs: RunTimes[], { observed }: Bot): RunTimes[] {
  const isRunning = observed.runState === 'running' && observed.runKind === 'bot';
  return runs.map((run) =>
    isRunning && run.run === observed.run && run.endedAt === null ? { ...run, startedAt: observed.startedAt } : run,
  );
}

/** Annotations for starts and ends of runs; for a build, its result. */
function markersOf(runs: RunTimes[]): Metrics['markers'] {
  const markers: Metrics['markers'] = [];
  for (const { kind, startedAt, endedAt, endReason } of runs) {
    const isBuild = kind === 'build';
    if (endedAt !== null && endReason !== null)
      markers.push({ at: endedAt, type: isBuild && endReason === 'exited' ? 'built' : endReason });
    if (startedAt !== null && !isBuild) markers.push({ at: startedAt, type: 'started' });
  }
  return markers;
}

/** The newest annotations, oldest first. */
function newestOf(markers: Metrics['markers']): Metrics['markers'] {
  return markers.toSorted((one, other) => one.at - other.at).slice(-maxMarkers);
}

/** Uptime between two times (ms), in percent with two digits. */
function uptimeOf(runs: RunTimes[], from: number, to: number): number {
  const begin = runs.length < maxRuns ? from : Math.max(from, runs.at(-1)?.startedAt ?? from);
  const online = runs.flatMap(({ startedAt, endedAt }) => (startedAt === null ? [] : [{ startedAt, endedAt }]));
  return percentOf(onlineMs(online, begin, to), to - begin);
}

/** Percentage with two digits, at most 100; 0 when the whole is 0. */
function percentOf(partMs: number, wholeMs: number): number {
  return wholeMs <= 0 ? 0 : Math.min(100, Math.round((partMs / wholeMs) * 10_000) / 100);
}
