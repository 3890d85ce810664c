// Resource usage: samples, CPU shares, and sums over time. Pure arithmetic.

/** Of a running bot at one moment. Times in ms since the epoch; counters start with the run. */
export interface UsageSample {
  at: number;
  run: number;
  /** Percent of the bot's vCPUs since the previous sample; null in the first. */
  cpuPercent: number | null;
  memoryBytes: number;
  memoryPeakBytes: number | null;
  pids: number | null;
  netRxBytes: number | null;
  netTxBytes: number | null;
}

/** Within one bucket; `at` is its beginning (ms). Network bytes are those of the bucket. */
export interface UsageBucket {
  botId: string;
  run: number;
  /** Average percent of the bot's vCPUs. */
  cpuPercent: number | null;
  /** Maximum. */
  memoryBytes: number;
  /** At the end of the bucket. */
  diskBytes: number | null;
  netRxBytes: number | null;
  netTxBytes: number | null;
  /** Maximum. */
  pids: number | null;
}

/** Microseconds of CPU time within `elapsedMs`, in percent of `vcpu` to one digit. */
export function cpuPercentOf(cpuMicros: number, elapsedMs: number, vcpu: number): number | null {
  if (elapsedMs <= 0) return null;
  return Math.max(0, Math.round(cpuMicros / elapsedMs / vcpu) / 10);
}

/** Adds samples of one bot to a bucket. `net…` are the bytes since the previous sample. */
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

  /** The bucket so far. */
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

/** Online time (ms) within `from` … `to`; `endedAt` null = still online. Runs do not overlap. */
export function onlineMs(runs: { startedAt: number; endedAt: number | null }[], from: number, to: number): number {
  let sum = 0;
  for (const { startedAt, endedAt } of runs)
    sum += Math.max(0, Math.min(endedAt ?? to, to) - Math.max(startedAt, from));
  return sum;
}
