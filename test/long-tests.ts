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

const builds = 'installs or compiles for a minute; downloads and builds stay in every run';
const engines = 'starts and kills engines of its own for more than a minute';

export const longTests: readonly LongTest[] = [
  {
    file: 'test/docker/neighbours.test.ts',
    reason: 'compares latencies beside hogs with those of a quiet machine (row 21 of the fault matrix)',
  },
  {
    file: 'test/docker/crash-loops.test.ts',
    reason: 'measures the processor share of the server for half a minute (row 18 of the fault matrix)',
  },
  ...['backup', 'restore', 'upload'].map((name) => ({
    file: `packages/server/test/api/kills/${name}.test.ts`,
    reason:
      'kills a whole server for a minute or two; homes kills the same code at any moment, faults at its failpoints',
  })),
  { file: 'test/docker/engine-away.test.ts', reason: engines },
  { file: 'test/docker/builds-engine-away.test.ts', reason: engines },
  { file: 'test/docker/sandbox.test.ts', reason: 'installs gVisor and starts an engine with it' },
  { file: 'test/docker/package-managers.test.ts', reason: builds },
  { file: 'test/docker/packages.test.ts', reason: builds },
  {
    file: 'test/docker/examples.test.ts',
    name: /^examples (that are compiled|of a chat service)/,
    reason: builds,
  },
  {
    file: 'test/docker/builds.test.ts',
    name: /^(nodejs: discord|go: a module with|rust: a crate with)/,
    reason: builds,
  },
  {
    file: 'test/docker/firewall.test.ts',
    name: /^a firewall by iptables-legacy/,
    reason: 'the same rules as those by iptables-nft, on the older tools',
  },
  {
    file: 'test/docker/dashboard-walk.test.ts',
    name: /^the same (on a phone|with the keyboard)/,
    reason: 'the walk with a pointer again; browser tests use phones and keyboards on every page',
  },
  {
    file: 'test/browser/page-states.test.ts',
    reason: 'every page in every state that its data can be in, for two minutes; every-page.test.ts stays',
  },
  { file: 'test/browser/reference.test.ts', reason: 'waits half a minute for the viewer of the API reference' },
  {
    file: 'test/browser/file-tree.test.ts',
    name: /^a folder of 2,000 files/,
    reason: 'uploads and scrolls 2,000 files for half a minute',
  },
];
