// When a bot's output is throttled, released or stopped, by the engine log's growth. Pure.

const megabyte = 1_000_000;

/**
 * Average log bytes per second of a bot. A line takes at least 69 bytes there, so a bot within this
 * limit writes fewer than 29,000 lines per second.
 */
export const allowedBytesPerSecond = 2 * megabyte;
const allowed = { bytesPerSecond: allowedBytesPerSecond, windowMs: 5_000 };
/** A throttled bot that still exceeds this is stopped. */
const tooMuch = { bytesPerSecond: 10 * megabyte, windowMs: 10_000 };
/** The throttle ends after this long without delayed output. */
const calmMs = 30_000;
/** Samples are kept for the longer of both windows. */
const keptMs = Math.max(allowed.windowMs, tooMuch.windowMs);

/** Rate of a throttled bot; it costs the engine about 2 % of a core. */
export const throttledRate = { bytesPerSecond: megabyte, linesPerSecond: 10_000 };

/** Rate for owners, such as `13.1 MB/s`. */
export function rateText(bytesPerSecond: number): string {
  return `${(bytesPerSecond / megabyte).toFixed(1)} MB/s`;
}

/** Log growth since the previous sample, and whether the throttle delayed it. */
export interface RateSample {
  ms: number;
  bytes: number;
  heldBack: boolean;
}

export interface ThrottleState {
  throttled: boolean;
  /** Newest last. */
  samples: readonly RateSample[];
}

/** throttle: delay its output. release: no longer needed. stop: does not suffice. */
export type ThrottleVerdict = 'none' | 'throttle' | 'release' | 'stop';

export const unthrottled: ThrottleState = { throttled: false, samples: [] };

/** `bytesPerSecond` is the rate behind the verdict. */
export interface ThrottleDecision {
  state: ThrottleState;
  verdict: ThrottleVerdict;
  bytesPerSecond: number;
}

export function evaluateThrottle(before: ThrottleState, sample: RateSample): ThrottleDecision {
  const { throttled } = before;
  const samples = recent([...before.samples, sample], throttled ? Math.max(keptMs, calmMs) : keptMs);
  const { ms, bytes } = sumOf(recent(samples, (throttled ? tooMuch : allowed).windowMs));
  const bytesPerSecond = (bytes * 1000) / Math.max(ms, 1);
  if (!throttled) {
    const isExcessive = bytes > (allowed.bytesPerSecond * Math.max(ms, allowed.windowMs)) / 1000;
    // Only output that passes the throttle counts from now on.
    if (isExcessive) return { state: { throttled: true, samples: [] }, verdict: 'throttle', bytesPerSecond };
    return { state: { throttled, samples }, verdict: 'none', bytesPerSecond };
  }
  const state = { throttled, samples };
  if (ms >= tooMuch.windowMs && bytesPerSecond > tooMuch.bytesPerSecond)
    return { state, verdict: 'stop', bytesPerSecond };
  const isCalm = sumOf(samples).ms >= calmMs && !samples.some(({ heldBack }) => heldBack);
  return { state: isCalm ? unthrottled : state, verdict: isCalm ? 'release' : 'none', bytesPerSecond };
}

/** The newest samples that cover `windowMs`; all when they cover less. */
function recent(samples: readonly RateSample[], windowMs: number): RateSample[] {
  let first = samples.length;
  for (let ms = 0; first > 0 && ms < windowMs; ms += samples[first]!.ms) first--;
  return samples.slice(first);
}

function sumOf(samples: readonly RateSample[]): { ms: number; bytes: number } {
  let [ms, bytes] = [0, 0];
  for (const sample of samples) {
    ms += sample.ms;
    bytes += sample.bytes;
  }
  return { ms, bytes };
}

/** Log bytes that may be stored at once, and per second from then on. */
const stored = { burst: 32 * megabyte, bytesPerSecond: 4 * megabyte };

/** How much of a run's throttled output may be stored, to protect the database. Times in ms. */
export class StoreAllowance {
  #left = stored.burst;
  #filledAt: number | null = null;
  /** Exhausted: stays closed until some allowance has accumulated, so that gaps are few. */
  #closed = false;

  /** Whether these bytes may be stored; if so, counts them. */
  take(bytes: number, at: number): boolean {
    const passedMs = Math.max(0, at - (this.#filledAt ?? at));
    this.#filledAt = at;
    this.#left = Math.min(stored.burst, this.#left + (passedMs * stored.bytesPerSecond) / 1000);
    this.#closed = this.#closed ? this.#left < stored.bytesPerSecond : this.#left <= 0;
    if (!this.#closed) this.#left -= bytes;
    return !this.#closed;
  }
}
