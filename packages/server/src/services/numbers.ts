// The curves of a bot's numbers over a range of time, with the starts and ends of its runs. Must not measure anything.
import type { Caller } from '../domain/access.ts';
import type { Bot, ExitReason } from '../domain/bot.ts';
import { type MetricsQuery, stepsOf } from '../domain/metrics-range.ts';
import { onlineMs } from '../domain/usage.ts';
import type { Clock } from '../lib/clock.ts';
import { minuteMs, type RunTimes, type UsagePoint, type UsageStore } from '../store/usage.ts';
import type { BotsService } from './bots.ts';

const mostMarkers = 400;
/** Runs that are looked at; a bot that ended more often in a range is judged by the newest of them. */
const mostRuns = 5_000;
/** Times in ms. `points` has every step, oldest first; `usage` is null where nothing is known: the bot was offline.
 * `restarts` are those that nobody asked for. */
export interface Metrics {
  stepSeconds: number;
  points: { at: number; usage: Omit<UsagePoint, 'index'> | null; restarts: number }[];
  markers: { at: number; type: 'started' | ExitReason }[];
  uptimePercent: number;
}

interface Parts {
  bots: Pick<BotsService, 'own'>;
  usage: UsageStore;
  clock: Clock;
}

export class NumbersService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async metrics(caller: Caller, botId: string, query: MetricsQuery): Promise<Metrics> {
    const { bots, usage, clock } = this.#parts;
    const bot = await bots.own(caller, botId);
    const { seconds, stepSeconds } = stepsOf(query);
    const [now, stepMs] = [clock.now(), stepSeconds * 1000];
    const count = Math.floor(seconds / stepSeconds);
    // The present minute is stored when it is over: the last step is the one with the minute before it.
    const lastMinute = Math.floor(now / minuteMs) * minuteMs - minuteMs;
    const first = (Math.floor(lastMinute / stepMs) - count + 1) * stepMs;
    const known = new Map<number, UsagePoint>();
    for (const point of await usage.points(bot.id, first, stepMs, first + count * stepMs)) {
      known.set(point.index, point);
    }
    const runs = (await usage.runs(bot.id, now - seconds * 1000, mostRuns)).filter((run) => run.kind === 'bot');
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
      markers: markersOf(withPresent(runs, bot), now - seconds * 1000),
      uptimePercent: uptimeOf(withPresent(runs, bot), Math.max(now - seconds * 1000, bot.createdAt), now),
    };
  }
}

/** The record of a run gets its beginning when it ends; until then the observation has it. */
function withPresent(runs: RunTimes[], { observed }: Bot): RunTimes[] {
  const isRunning = observed.runState === 'running' && observed.runKind === 'bot';
  return runs.map((run) =>
    isRunning && run.run === observed.run && run.endedAt === null ? { ...run, startedAt: observed.startedAt } : run,
  );
}

/** Starts and ends after `from` (ms), oldest first, the newest of them where there are too many. */
function markersOf(runs: RunTimes[], from: number): Metrics['markers'] {
  const markers: Metrics['markers'] = [];
  for (const { startedAt, endedAt, endReason } of runs) {
    if (endedAt !== null && endReason !== null) markers.push({ at: endedAt, type: endReason });
    if (startedAt !== null) markers.push({ at: startedAt, type: 'started' });
  }
  return markers
    .filter(({ at }) => at >= from)
    .slice(0, mostMarkers)
    .toReversed();
}

/** Part of the time between the two (ms) in which the bot was online, in percent to two digits. */
function uptimeOf(runs: RunTimes[], from: number, to: number): number {
  const begin = runs.length < mostRuns ? from : Math.max(from, runs.at(-1)?.startedAt ?? from);
  if (to <= begin) return 0;
  const online = runs.flatMap(({ startedAt, endedAt }) => (startedAt === null ? [] : [{ startedAt, endedAt }]));
  return Math.round((onlineMs(online, begin, to) / (to - begin)) * 10_000) / 100;
}
