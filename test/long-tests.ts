// Tests that `./botel test` leaves out and `./botel test --all` runs: each takes minutes, or
// measures time and needs a machine of its own for that. A run prints what it left out.

export interface LongTest {
  file: string;
  /** Of a file of which the rest is always run: the names of the tests that are left out. */
  name?: RegExp;
  /** Why it is not in every run. */
  reason: string;
}

export const longTests: readonly LongTest[] = [];
