// What a bot uses: one sample, its share of the processor, and sums over time. Pure arithmetic.

/** A running bot at a moment. Times are ms since the epoch; counters of bytes begin with the run. */
export interface UsageSample {
  at: number;
  run: number;
  /** Of the bot's own vCPU since the sample before; null in the first one. */
  cpuPercent: number | null;
  memoryBytes: number;
  memoryPeakBytes: number | null;
  pids: number | null;
  netRxBytes: number | null;
  netTxBytes: number | null;
}

/** What a bot used in a bucket of time; `at` is its beginning (ms). Bytes of the network are those of the bucket. */
export interface UsageBucket {
  botId: string;
  run: number;
  /** Average, of the bot's own vCPU. */
  cpuPercent: number | null;
  /** Highest. */
  memoryBytes: number;
  /** At its end. */
  diskBytes: number | null;
  netRxBytes: number | null;
  netTxBytes: number | null;
  /** Highest. */
  pids: number | null;
}

/** Microseconds of processor time within `elapsedMs`, in percent of `vcpu` processors, to one digit; null for no time. */
export function cpuPercentOf(cpuMicros: number, elapsedMs: number, vcpu: number): number | null {
  if (elapsedMs <= 0) return null;
  return Math.max(0, Math.round(cpuMicros / elapsedMs / vcpu) / 10);
}

/** Adds a sample to what is known of its span; both are of the same bot. `net…` are the bytes since the sample before. */
export class UsageSum {
  run = 0;
  #cpu = 0;
  #cpuCount = 0;
  #memoryBytes = 0;
  #pids: number | null = null;
  #netRxBytes: number | null = null;
  #netTxBytes: number | null = null;

  add(sample: UsageSample, moved: { netRxBytes: number | null; netTxBytes: number | null }): void {
    this.run = sample.run;
    if (sample.cpuPercent !== null) {
      this.#cpu += sample.cpuPercent;
      this.#cpuCount++;
    }
    this.#memoryBytes = Math.max(this.#memoryBytes, sample.memoryBytes);
    this.#pids = sample.pids === null ? this.#pids : Math.max(this.#pids ?? 0, sample.pids);
    this.#netRxBytes = plus(this.#netRxBytes, moved.netRxBytes);
    this.#netTxBytes = plus(this.#netTxBytes, moved.netTxBytes);
  }

  /** The span so far. */
  span(botId: string, diskBytes: number | null): UsageBucket {
    return {
      botId,
      run: this.run,
      cpuPercent: this.#cpuCount === 0 ? null : Math.round((this.#cpu / this.#cpuCount) * 10) / 10,
      memoryBytes: this.#memoryBytes,
      diskBytes,
      netRxBytes: this.#netRxBytes,
      netTxBytes: this.#netTxBytes,
      pids: this.#pids,
    };
  }
}

function plus(sum: number | null, more: number | null): number | null {
  return more === null ? sum : (sum ?? 0) + more;
}

/** The time (ms) within `from` … `to` that the runs were online; `endedAt` null = still. Runs do not overlap. */
export function onlineMs(runs: { startedAt: number; endedAt: number | null }[], from: number, to: number): number {
  let sum = 0;
  for (const { startedAt, endedAt } of runs)
    sum += Math.max(0, Math.min(endedAt ?? to, to) - Math.max(startedAt, from));
  return sum;
}
