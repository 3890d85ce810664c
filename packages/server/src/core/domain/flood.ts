// When a bot's output is too much, and what is done about it: from how fast the engine's log of it grows to a brake, its
// end, or the end of the run. Pure.

const megabyte = 1_000_000;

/**
 * Bytes per second of the log that a bot may write on average, and over how long. A line takes at least 69 bytes there,
 * whatever it says: so a bot within this writes fewer than 29,000 lines per second.
 */
export const allowedBytesPerSecond = 2 * megabyte;
const allowed = { bytesPerSecond: allowedBytesPerSecond, windowMs: 5_000 };
/** What a bot may not write in spite of a brake. */
const tooMuch = { bytesPerSecond: 10 * megabyte, windowMs: 10_000 };
/** The brake is let go when nothing had to wait for so long. */
const calmMs = 30_000;
/** Looks are kept for the longer window. */
const keptMs = Math.max(allowed.windowMs, tooMuch.windowMs);

/** What a braked bot may write: the engine has about 2 % of a core to do with it. */
export const brakedRate = { bytesPerSecond: megabyte, linesPerSecond: 10_000 };

/** Bytes per second as owners are told of them, such as `13.1 MB/s`. */
export function rateText(bytesPerSecond: number): string {
  return `${(bytesPerSecond / megabyte).toFixed(1)} MB/s`;
}

/** Growth of a bot's log since the look before, and whether its brake made it wait meanwhile. */
export interface FloodLook {
  ms: number;
  bytes: number;
  heldBack: boolean;
}

export interface FloodState {
  braked: boolean;
  /** Newest last. */
  looks: readonly FloodLook[];
}

/**
 * - brake: hold its output back from now on
 * - release: the brake is not needed any more
 * - stop: the brake does not help
 */
export type FloodVerdict = 'none' | 'brake' | 'release' | 'stop';

export const noFlood: FloodState = { braked: false, looks: [] };

/** `bytesPerSecond` is what the verdict is about. */
export interface FloodJudgement {
  state: FloodState;
  verdict: FloodVerdict;
  bytesPerSecond: number;
}

export function judgeFlood(before: FloodState, look: FloodLook): FloodJudgement {
  const { braked } = before;
  const looks = recent([...before.looks, look], braked ? Math.max(keptMs, calmMs) : keptMs);
  const { ms, bytes } = sumOf(recent(looks, (braked ? tooMuch : allowed).windowMs));
  const bytesPerSecond = (bytes * 1000) / Math.max(ms, 1);
  if (!braked) {
    const isFlood = bytes > (allowed.bytesPerSecond * Math.max(ms, allowed.windowMs)) / 1000;
    // What counts against a brake is what comes through it.
    if (isFlood) return { state: { braked: true, looks: [] }, verdict: 'brake', bytesPerSecond };
    return { state: { braked, looks }, verdict: 'none', bytesPerSecond };
  }
  const state = { braked, looks };
  if (ms >= tooMuch.windowMs && bytesPerSecond > tooMuch.bytesPerSecond)
    return { state, verdict: 'stop', bytesPerSecond };
  const isCalm = sumOf(looks).ms >= calmMs && !looks.some(({ heldBack }) => heldBack);
  return { state: isCalm ? noFlood : state, verdict: isCalm ? 'release' : 'none', bytesPerSecond };
}

/** The newest looks that cover `windowMs`, or all. */
function recent(looks: readonly FloodLook[], windowMs: number): FloodLook[] {
  let first = looks.length;
  for (let ms = 0; first > 0 && ms < windowMs; ms += looks[first]!.ms) first--;
  return looks.slice(first);
}

function sumOf(looks: readonly FloodLook[]): { ms: number; bytes: number } {
  let [ms, bytes] = [0, 0];
  for (const look of looks) {
    ms += look.ms;
    bytes += look.bytes;
  }
  return { ms, bytes };
}

/** Bytes of a bot's log that are taken into the store at once, and per second from then on. */
const stored = { burst: 32 * megabyte, bytesPerSecond: 4 * megabyte };

/** How much of one run's output may still be stored: what a brake let pass must not fill the database. Times in ms. */
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
