// Faults between a fake engine and its callers, set by tests and the simulation.
import type { Engine, EngineChange } from '../engine.ts';

/** All calls but those that need no daemon. */
type FakeVerb = Exclude<keyof Engine, 'usage' | 'close'>;

/** A call in progress; `botId` is null where the call has none or its container is gone. */
export interface FakeCall {
  verb: FakeVerb;
  botId: string | null;
}

/**
 * Hooks around every call. The caller sees the EngineError that they throw: from `before`, the
 * effect did not happen; from `after`, it did (or failed by itself) and its reply was lost; a
 * stream of changes calls `after` when it breaks. A promise that never settles is a hang, or the
 * caller's death.
 */
export interface FakeFaults {
  before(call: FakeCall): void | Promise<void>;
  after(call: FakeCall): void | Promise<void>;
  /** One delay (ms) per delivery of the wake-up: none drops it, two duplicate it. */
  deliveries(change: EngineChange): number[];
}

export const noFaults: FakeFaults = { before() {}, after() {}, deliveries: () => [0] };

/** Seeded: `fraction` yields numbers in [0, 1). Wake-ups left over by the odds arrive at once. */
export function randomDeliveries(
  fraction: () => number,
  odds: { drop: number; double: number; delay: number; maxDelayMs: number },
): FakeFaults['deliveries'] {
  const delayMs = () => (fraction() < odds.delay ? Math.floor(fraction() * odds.maxDelayMs) : 0);
  return () => {
    const fate = fraction();
    if (fate < odds.drop) return [];
    return fate < odds.drop + odds.double ? [delayMs(), delayMs()] : [delayMs()];
  };
}
