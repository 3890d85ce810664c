// The newest metrics of each bot, in memory. Empty after a restart until the first collection.
import type { DiskUse } from '../domain/quota.ts';
import type { UsageSample } from '../domain/usage.ts';
import { Topic } from '../lib/topic.ts';

/** Metrics of one bot: its newest sample, and its last counted disk usage (`at` in ms). */
export interface UsagePage {
  sample: UsageSample | null;
  disk: (DiskUse & { at: number }) | null;
}

export class UsageCache {
  /** Published when metrics of the bot (key: its id) changed. */
  readonly noted = new Topic();
  readonly #samples = new Map<string, UsageSample>();
  readonly #disks = new Map<string, DiskUse & { at: number }>();

  /** The newest sample of this run; null when there is none. */
  sample(botId: string, run: number): UsageSample | null {
    const sample = this.#samples.get(botId);
    return sample?.run === run ? sample : null;
  }

  /** Last counted disk usage and its time (ms); null until the first count. */
  disk(botId: string): (DiskUse & { at: number }) | null {
    return this.#disks.get(botId) ?? null;
  }

  noteSample(botId: string, sample: UsageSample): void {
    this.#samples.set(botId, sample);
    this.noted.publish(botId);
  }

  noteDisk(botId: string, { bytes, files }: DiskUse, at: number): void {
    this.#disks.set(botId, { bytes, files, at });
    this.noted.publish(botId);
  }

  /** All metrics of the bot. */
  page(botId: string): UsagePage {
    return { sample: this.#samples.get(botId) ?? null, disk: this.disk(botId) };
  }

  /** Copies another process's metrics of the bot. */
  takeOver(botId: string, { sample, disk }: UsagePage): void {
    if (sample) this.#samples.set(botId, sample);
    if (disk) this.#disks.set(botId, disk);
  }

  /** Ids of bots with metrics. */
  bots(): string[] {
    return [...new Set([...this.#samples.keys(), ...this.#disks.keys()])];
  }

  /** Marks its disk usage as outdated: it is counted again soon. */
  outdateDisk(botId: string): void {
    const known = this.#disks.get(botId);
    if (known) known.at = Number.NEGATIVE_INFINITY;
  }

  /** Drops the samples of bots that are not running. */
  keepSamples(running: ReadonlySet<string>): void {
    for (const botId of this.#samples.keys()) if (!running.has(botId)) this.#samples.delete(botId);
  }

  /** Drops the disk usage of deleted bots. */
  keepDisks(bots: ReadonlySet<string>): void {
    for (const botId of this.#disks.keys()) if (!bots.has(botId)) this.#disks.delete(botId);
  }
}
