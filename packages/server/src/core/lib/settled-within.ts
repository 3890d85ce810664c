// Bounds a wait whose work goes on.
import type { Clock } from './clock.ts';

/** Resolves to whether the work ended within `ms`; rejects with its failure. */
export function settledWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const timer = clock.after(ms, () => resolve(false));
  work.finally(() => timer.cancel()).then(() => resolve(true), reject);
  return promise;
}
