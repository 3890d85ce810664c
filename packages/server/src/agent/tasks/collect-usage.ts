// The only collector of metrics: samples all running bots every ten seconds, keeps the newest
// sample of each in the usageCache, and stores a row per bot and minute, for running bots only.
import { vcpuOf } from '../../core/domain/quota.ts';
import { cpuPercentOf, type UsageSample, UsageSum } from '../../core/domain/usage.ts';
import type { ContainerUsage, Engine } from '../engine/engine.ts';
import type { BotFiles } from '../homes/bot-files.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';
import { minuteMs, type RunningBot, type UsageStore } from '../../core/store/usage.ts';
import type { DiskLevels } from './disk-levels.ts';
import type { Task } from './driver.ts';

const everyMs = 10_000;
/** Counters of older runs, not sampled from the beginning, don't show the last seconds. */
const freshRunMs = 60_000;
const runningDiskMs = 60_000;
const restingDiskMs = 600_000;
/** Share of the time that counting files may take. */
const diskShare = 0.02;

interface Deps {
  engine: Pick<Engine, 'usage'>;
  files: Pick<BotFiles, 'used'>;
  bots: Pick<BotReader, 'ids'>;
  usage: UsageStore;
  usageCache: UsageCache;
  levels: Pick<DiskLevels, 'note' | 'keep'>;
  clock: Clock;
}

/** Counters at a time (ms). */
type Reading = Pick<ContainerUsage, 'cpuMicros' | 'netRxBytes' | 'netTxBytes'> & { run: number; at: number };

export function collectUsage(deps: Deps): Task[] {
  const collector = new UsageCollector(deps);
  return [
    { name: 'collect-usage', everyMs, run: () => collector.collect() },
    { name: 'measure-disks', everyMs, run: () => collector.measureDisks() },
  ];
}

class UsageCollector {
  readonly #deps: Deps;
  #readings = new Map<string, Reading>();
  #sums = new Map<string, UsageSum>();
  /** Beginning (ms) of the minute that `#sums` covers. */
  #minute = 0;
  #disksFrom = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async collect(): Promise<void> {
    const { engine, usage, usageCache, clock } = this.#deps;
    const running = await usage.running();
    await this.#turnMinute();
    usageCache.keepSamples(new Set(running.map((bot) => bot.id)));
    const readings = new Map<string, Reading>();
    for (const bot of running) {
      const used = await engine.usage(bot.containerId);
      if (!used) continue;
      const reading = { ...used, run: bot.run, at: clock.now() };
      this.#note(bot, reading, used);
      readings.set(bot.id, reading);
    }
    this.#readings = readings;
  }

  #note(bot: RunningBot, reading: Reading, used: ContainerUsage): void {
    const before = this.#before(bot, reading);
    const sample: UsageSample = {
      at: reading.at,
      run: bot.run,
      cpuPercent:
        before && cpuPercentOf(reading.cpuMicros - before.cpuMicros, reading.at - before.at, vcpuOf(bot.memoryMb)),
      memoryBytes: used.memoryBytes,
      memoryPeakBytes: used.memoryPeakBytes,
      pids: used.pids,
      netRxBytes: used.netRxBytes,
      netTxBytes: used.netTxBytes,
    };
    this.#deps.usageCache.noteSample(bot.id, sample);
    const sum = this.#sums.get(bot.id) ?? new UsageSum();
    sum.add(sample, {
      netRxBytes: moved(before?.netRxBytes, reading.netRxBytes),
      netTxBytes: moved(before?.netTxBytes, reading.netTxBytes),
    });
    this.#sums.set(bot.id, sum);
  }

  /** The counters at the last sample of this run, or at its beginning; null when unknown. */
  #before(bot: RunningBot, now: Reading): Reading | null {
    const last = this.#readings.get(bot.id);
    if (last?.run === bot.run) return last;
    if (now.at - bot.startedAt > freshRunMs) return null;
    return { run: bot.run, at: bot.startedAt, cpuMicros: 0, netRxBytes: 0, netTxBytes: 0 };
  }

  /** Stores the sums of a finished minute. */
  async #turnMinute(): Promise<void> {
    const { usage, usageCache, clock } = this.#deps;
    const minute = Math.floor(clock.now() / minuteMs) * minuteMs;
    if (minute === this.#minute) return;
    const spans = [...this.#sums].map(([botId, sum]) => sum.span(botId, usageCache.disk(botId)?.bytes ?? null));
    const past = this.#minute;
    this.#minute = minute;
    this.#sums = new Map();
    if (spans.length > 0) await usage.addMinute(past, spans);
  }

  /** Counts files where the count is old, then pauses in proportion to the time it took. */
  async measureDisks(): Promise<void> {
    const { files, bots, usage, usageCache, levels, clock } = this.#deps;
    if (clock.now() < this.#disksFrom) return;
    const ids = await bots.ids();
    const kept = new Set(ids);
    usageCache.keepDisks(kept);
    levels.keep(kept);
    const running = new Set((await usage.running()).map((bot) => bot.id));
    const age = (botId: string) => clock.now() - (usageCache.disk(botId)?.at ?? Number.NEGATIVE_INFINITY);
    const due = ids.filter((id) => age(id) >= (running.has(id) ? runningDiskMs : restingDiskMs));
    due.sort((one, other) => age(other) - age(one) || 0);
    const began = clock.now();
    for (const id of due) {
      const use = await files.used(id, { counted: true });
      usageCache.noteDisk(id, use, clock.now());
      await levels.note(id, use);
      if (clock.now() - began > everyMs * diskShare) break;
    }
    this.#disksFrom = clock.now() + (clock.now() - began) / diskShare;
  }
}

function moved(before: number | null | undefined, now: number | null): number | null {
  return before === null || before === undefined || now === null ? null : Math.max(0, now - before);
}
