// Tests that `./botel test` leaves out and `./botel test --all` runs: each takes minutes, or
// measures time and needs a machine of its own for that. A run prints what it left out.
// Tests that do the same thing many times (kills at moments, faults) do it more often with it.

export interface LongTest {
  file: string;
  /** Of a file of which the rest is always run: the names of the tests that are left out. */
  name?: RegExp;
  /** Why it is not in every run. */
  reason: string;
}

export const longTests: readonly LongTest[] = [
  {
    file: 'test/docker/neighbours.test.ts',
    reason: 'compares latencies beside hogs with those of a quiet machine (row 21 of the fault matrix)',
  },
  {
    file: 'test/docker/crash-loops.test.ts',
    reason: 'measures the processor share of the server for half a minute (row 18 of the fault matrix)',
  },
];
