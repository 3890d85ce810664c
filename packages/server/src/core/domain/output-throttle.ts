// When a bot's output is too much, and what is done about it: from how fast the engine's log of it grows to a throttle, its
// end, or the end of the run. Pure.

const megabyte = 1_000_000;

/**
 * Bytes per second of the log that a bot may write on average, and over how long. A line takes at least 69 bytes there,
 * whatever it says: so a bot within this writes fewer than 29,000 lines per second.
 */
export const allowedBytesPerSecond = 2 * megabyte;
const allowed = { bytesPerSecond: allowedBytesPerSecond, windowMs: 5_000 };
/** A throttled bot that still writes more than this is stopped. */
const tooMuch = { bytesPerSecond: 10 * megabyte, windowMs: 10_000 };
/** The throttle ends after this long without anything that had to wait. */
const calmMs = 30_000;
/** Samples are kept for the longer window. */
const keptMs = Math.max(allowed.windowMs, tooMuch.windowMs);

/** What a throttled bot may write: the engine has about 2 % of a core to do with it. */
export const throttledRate = { bytesPerSecond: megabyte, linesPerSecond: 10_000 };

/** Bytes per second as owners read them, such as `13.1 MB/s`. */
export function rateText(bytesPerSecond: number): string {
  return `${(bytesPerSecond / megabyte).toFixed(1)} MB/s`;
}

/** Growth of a bot's log since the sample before, and whether its throttle made it wait meanwhile. */
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

/**
 * - throttle: hold its output back from now on
 * - release: the throttle is not needed any more
 * - stop: the throttle does not help
 */
export type ThrottleVerdict = 'none' | 'throttle' | 'release' | 'stop';

export const unthrottled: ThrottleState = { throttled: false, samples: [] };

/** `bytesPerSecond` is what the verdict is about. */
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
    // What counts against a throttle is what comes through it.
    if (isExcessive) return { state: { throttled: true, samples: [] }, verdict: 'throttle', bytesPerSecond };
    return { state: { throttled, samples }, verdict: 'none', bytesPerSecond };
  }
  const state = { throttled, samples };
  if (ms >= tooMuch.windowMs && bytesPerSecond > tooMuch.bytesPerSecond)
    return { state, verdict: 'stop', bytesPerSecond };
  const isCalm = sumOf(samples).ms >= calmMs && !samples.some(({ heldBack }) => heldBack);
  return { state: isCalm ? unthrottled : state, verdict: isCalm ? 'release' : 'none', bytesPerSecond };
}

/** The newest samples that cover `windowMs`, or all. */
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

/** Bytes of a bot's log that are taken into the store at once, and per second from then on. */
const stored = { burst: 32 * megabyte, bytesPerSecond: 4 * megabyte };

/** How much of one run's output may still be stored: what a throttle let pass must not fill the database. Times in ms. */
export class StoreAllowance {
  #left = stored.burst;
  #filledAt: number | null = null;
  /** Used up: some is saved before more is taken, so that holes are few. */
  #closed = false;

  /** Whether these bytes may be stored; they are counted when they may. */
  take(bytes: number, at: number): boolean {
    const passedMs = Math.max(0, at - (this.#filledAt ?? at));
    this.#filledAt = at;
    this.#left = Math.min(stored.burst, this.#left + (passedMs * stored.bytesPerSecond) / 1000);
    this.#closed = this.#closed ? this.#left < stored.bytesPerSecond : this.#left <= 0;
    if (!this.#closed) this.#left -= bytes;
    return !this.#closed;
  }
}
