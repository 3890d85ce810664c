// The newest metrics of each bot, in memory: written by the collector, read by whoever shows a bot. Must not measure
// anything, and knows nothing after a restart until the collector was round.
import type { DiskUse } from '../domain/quota.ts';
import type { UsageSample } from '../domain/usage.ts';
import { Topic } from '../lib/topic.ts';

/** What is known of one bot: its newest sample, and what its files took when they were counted last (`at` in ms). */
export interface UsagePage {
  sample: UsageSample | null;
  disk: (DiskUse & { at: number }) | null;
}

export class UsageCache {
  /** Something was noted about the bot (key: its id). */
  readonly noted = new Topic();
  readonly #samples = new Map<string, UsageSample>();
  readonly #disks = new Map<string, DiskUse & { at: number }>();

  /** The newest sample of this run of the bot; null when there is none. */
  sample(botId: string, run: number): UsageSample | null {
    const sample = this.#samples.get(botId);
    return sample?.run === run ? sample : null;
  }

  /** What its files took when they were counted last, and when (ms); null when that is not known yet. */
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

  /** All that is known of the bot. */
  page(botId: string): UsagePage {
    return { sample: this.#samples.get(botId) ?? null, disk: this.disk(botId) };
  }

  /** Takes over what the book of another process knows of the bot. */
  takeOver(botId: string, { sample, disk }: UsagePage): void {
    if (sample) this.#samples.set(botId, sample);
    if (disk) this.#disks.set(botId, disk);
  }

  /** Bots of which anything is known. */
  bots(): string[] {
    return [...new Set([...this.#samples.keys(), ...this.#disks.keys()])];
  }

  /** Its files are others now: they are to be counted soon. */
  outdateDisk(botId: string): void {
    const known = this.#disks.get(botId);
    if (known) known.at = Number.NEGATIVE_INFINITY;
  }

  /** Forgets the samples of bots that do not run. */
  keepSamples(running: ReadonlySet<string>): void {
    for (const botId of this.#samples.keys()) if (!running.has(botId)) this.#samples.delete(botId);
  }

  /** Forgets the disks of bots that are gone. */
  keepDisks(bots: ReadonlySet<string>): void {
    for (const botId of this.#disks.keys()) if (!bots.has(botId)) this.#disks.delete(botId);
  }
}
