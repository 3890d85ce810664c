// Knows roughly how much disk each bot uses without counting at every write: a count is kept for a minute, and what is
// written meanwhile is added. Must not refuse anything.
import type { Clock } from '../lib/clock.ts';
import type { DiskUse } from './tree-scan.ts';

const keptMs = 60_000;
const countsMax = 1000;

interface Count {
  at: number;
  bytes: number;
}

export class DiskMeter {
  readonly #counts = new Map<string, Count>();
  readonly #measure: (botId: string) => Promise<DiskUse>;
  readonly #clock: Clock;

  /** `measure` counts for real. */
  constructor(measure: (botId: string) => Promise<DiskUse>, clock: Clock) {
    this.#measure = measure;
    this.#clock = clock;
  }

  /** Bytes that the bot's files take, at most a minute old. */
  async usedBytes(botId: string): Promise<number> {
    const bytes = this.known(botId);
    return bytes ?? this.count(botId);
  }

  /** As usedBytes, when that is known without counting; else null. */
  known(botId: string): number | null {
    const known = this.#counts.get(botId);
    const age = known ? this.#clock.now() - known.at : Number.NaN;
    return known && age >= 0 && age < keptMs ? known.bytes : null;
  }

  /** Bytes that the bot's files take now. */
  async count(botId: string): Promise<number> {
    const { bytes } = await this.#measure(botId);
    if (this.#counts.size >= countsMax) this.#counts.clear();
    this.#counts.set(botId, { at: this.#clock.now(), bytes });
    return bytes;
  }

  /** So many bytes came on top. */
  add(botId: string, bytes: number): void {
    const known = this.#counts.get(botId);
    if (known) known.bytes += bytes;
  }

  /** Files were deleted: the next question counts again. */
  forget(botId: string): void {
    this.#counts.delete(botId);
  }
}
