// Fake containers that write without end, and their throttles.
import type { Clock, Timer } from '../../../core/lib/clock.ts';
import type { OutputThrottle, OutputRate } from '../engine.ts';
import type { FakeLog } from './fake-log.ts';

const tickMs = 100;
const line = 'x'.repeat(10_000);
const linesPerTick = 60;

interface Run {
  timer: Timer | null;
  throttle: FakeThrottle | null;
}

export class FakeThrottles {
  readonly #log: FakeLog;
  readonly #clock: Clock;
  readonly #runs = new Map<string, Run>();

  constructor(log: FakeLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** The container's run has begun; from now on it writes when it `floods`. */
  begin(containerId: string, floods: boolean): void {
    const run: Run = { timer: null, throttle: null };
    this.#runs.set(containerId, run);
    if (floods) this.#write(containerId, run);
  }

  /** The run is over: it writes nothing more, and its throttle ends. */
  end(containerId: string): void {
    const run = this.#runs.get(containerId);
    run?.timer?.cancel();
    run?.throttle?.[Symbol.dispose]();
    this.#runs.delete(containerId);
  }

  /** Replaces the throttle of a run; its container is running. */
  throttle(containerId: string, rate: OutputRate): OutputThrottle {
    const run = this.#runs.get(containerId);
    run?.throttle?.[Symbol.dispose]();
    const throttle = new FakeThrottle(rate);
    if (run) run.throttle = throttle;
    return throttle;
  }

  release(containerId: string): void {
    this.#runs.get(containerId)?.throttle?.[Symbol.dispose]();
  }

  #write(containerId: string, run: Run): void {
    const count = run.throttle?.holds ? run.throttle.passing(line.length, linesPerTick) : linesPerTick;
    const at = this.#clock.now();
    for (let i = 0; i < count; i++) this.#log.write(containerId, { text: line, stream: 'stdout', at });
    run.timer = this.#clock.after(tickMs, () => this.#write(containerId, run));
  }
}

class FakeThrottle implements OutputThrottle {
  holds = true;
  readonly #rate: OutputRate;
  #held = false;

  constructor(rate: OutputRate) {
    this.#rate = rate;
  }

  /** How many of the lines of a tick may pass. */
  passing(lineBytes: number, lines: number): number {
    const { bytesPerSecond, linesPerSecond } = this.#rate;
    const max = (Math.min(bytesPerSecond / lineBytes, linesPerSecond) * tickMs) / 1000;
    this.#held ||= max < lines;
    return Math.min(Math.floor(max), lines);
  }

  heldBack(): boolean {
    const held = this.#held;
    this.#held = false;
    return held;
  }

  [Symbol.dispose](): void {
    this.holds = false;
  }
}
