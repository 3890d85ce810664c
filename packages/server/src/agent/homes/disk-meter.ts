// Estimates disk use: a count is cached for a minute, and later writes are added to it.
import type { DiskUse } from '../../core/domain/quota.ts';
import type { Clock } from '../../core/lib/clock.ts';

const keptMs = 60_000;
const countsMax = 1000;

interface Count extends DiskUse {
  at: number;
}

export class DiskMeter {
  readonly #counts = new Map<string, Count>();
  readonly #measure: (botId: string) => Promise<DiskUse>;
  readonly #clock: Clock;

  /** `measure` scans the files. */
  constructor(measure: (botId: string) => Promise<DiskUse>, clock: Clock) {
    this.#measure = measure;
    this.#clock = clock;
  }

  /** The bot's disk use, at most a minute old. */
  async used(botId: string): Promise<DiskUse> {
    return this.known(botId) ?? this.count(botId);
  }

  /** Like `used`, when it is known without counting; else null. */
  known(botId: string): DiskUse | null {
    const known = this.#counts.get(botId);
    const age = known ? this.#clock.now() - known.at : Number.NaN;
    return known && age >= 0 && age < keptMs ? { bytes: known.bytes, files: known.files } : null;
  }

  /** Counts the bot's disk use now. */
  async count(botId: string): Promise<DiskUse> {
    const { bytes, files } = await this.#measure(botId);
    if (this.#counts.size >= countsMax) this.#counts.clear();
    this.#counts.set(botId, { at: this.#clock.now(), bytes, files });
    return { bytes, files };
  }

  /** Adds written bytes and files to the cached count. */
  add(botId: string, { bytes, files }: DiskUse): void {
    const known = this.#counts.get(botId);
    if (!known) return;
    known.bytes += bytes;
    known.files += files;
  }

  /** Drops the cached count after a deletion, so that the next call counts again. */
  forget(botId: string): void {
    this.#counts.delete(botId);
  }
}
