// The requirements of isolation and of faults, in the order of their rank, and the tests that prove
// them. What is not proven says so.

export interface Requirement {
  requirement: string;
  /** Rows of the fault matrix. */
  rows?: number[];
  /** Files of tests, from the checkout on. */
  tests?: string[];
  /** What is measured, and what is not. */
  note?: string;
}

const docker = (name: string) => `test/docker/${name}.test.ts`;
const api = (name: string) => `packages/server/test/api/${name}.test.ts`;
const unit = (name: string) => `packages/server/src/${name}.test.ts`;
const tidy = (name: string) => `test/tidy/${name}.test.ts`;

/** The first is number 1. */
export const requirements: readonly Requirement[] = [
  { requirement: 'No shell; the engine only through its API', tests: [tidy('style'), docker('launcher')] },
  {
    requirement: 'Ownership checked inside the query; own ids only',
    tests: [api('matrix'), api('bots-of-others'), api('every-route')],
  },
  {
    requirement: 'Containers exactly as specified, builds too',
    tests: [docker('limits'), docker('engine-docker'), unit('agent/engine/docker/create-body')],
  },
  { requirement: 'Desired state is stored before the 200 and carried out', rows: [1, 2, 3, 4, 5, 6] },
  { requirement: 'Status comes from inspection; a cut stream is not a crash', rows: [8, 14] },
  {
    requirement: 'One container per bot',
    rows: [13, 34],
    tests: ['packages/server/test/simulation/reconciler.test.ts'],
  },
  { requirement: 'The latest call wins; a stop cancels a restart', rows: [34], tests: [api('bots-lifecycle')] },
  { requirement: 'Files are opened part by part from open folders', rows: [31] },
  { requirement: 'Special files never block', rows: [31] },
  { requirement: 'Network isolation that repairs itself', rows: [33], tests: [docker('network')] },
  {
    requirement: "The engine's socket only in the agent",
    tests: [api('container-policy'), api('roles'), docker('roles'), docker('systemd')],
  },
  {
    requirement: 'live-restore; bots come back without it',
    rows: [8, 9, 10],
    note: 'Swarm: not part of a single machine',
  },
  {
    requirement: 'One restarter, separate from the API',
    rows: [7],
    tests: [api('roles'), api('frozen-processes'), docker('systemd')],
  },
  { requirement: 'Back within 60 s of a reboot', rows: [17] },
  { requirement: 'Logs exact or marked', rows: [23], tests: [docker('logs-exact')] },
  {
    requirement: 'Output is drained before a container is removed',
    rows: [5, 23],
    tests: ['packages/server/test/capture/log-capture.test.ts'],
  },
  {
    requirement: 'Excessive output is throttled within 10 s',
    rows: [22],
    tests: [docker('output-throttle'), unit('core/domain/output-throttle')],
  },
  { requirement: 'Live streams are bounded and resume', rows: [24] },
  { requirement: 'The memory limit includes swap; the reason is oom', rows: [20], tests: [docker('limits')] },
  { requirement: 'A separate user for each bot', rows: [21], tests: [unit('agent/homes/homes'), docker('limits')] },
  { requirement: 'Limits of processes and open files', rows: [21], tests: [docker('limits')] },
  {
    requirement: 'A hard disk limit',
    rows: [25],
    note: 'images on loop devices; project quotas: this kernel has no XFS_QUOTA and no QFMT_V2',
  },
  { requirement: 'The plan is never exceeded', rows: [35] },
  { requirement: 'A durable store', rows: [27, 28], tests: [unit('core/store/database')], note: 'SQLite only' },
  { requirement: 'A graceful stop, of compound commands too', rows: [30] },
  { requirement: 'Retry delays are stored and shown', rows: [18], tests: [unit('core/domain/restart-policy')] },
  { requirement: 'Archives', rows: [32] },
  {
    requirement: 'Secrets do not leak',
    tests: [api('canaries'), api('bots-update'), api('bots-create'), docker('environment')],
    note: '7 kinds of canaries, 0 hits',
  },
  {
    requirement: 'Tokens have scopes and are revoked within 5 s',
    tests: [api('revoked-sessions'), api('matrix'), api('accounts')],
  },
  {
    requirement: 'Limits on all inputs',
    tests: [api('input-bounds'), api('junk-connections'), api('rates'), api('conventions')],
  },
  {
    requirement: 'Disk watermarks: new work is refused, running bots keep running',
    rows: [26],
    tests: [api('disk-full')],
  },
  { requirement: 'Everything is checked every 30 s; events only wake', rows: [14] },
  { requirement: 'Unmanaged containers are not touched', rows: [16] },
  {
    requirement: 'Input is checked',
    tests: [api('conventions'), api('bots-create'), unit('agent/engine/docker/create-body')],
  },
  { requirement: 'Webhooks and pulls cannot reach internal addresses', note: 'Botel has neither yet' },
  {
    requirement: 'The gateway is checked; an unknown host is a 404',
    rows: [37],
    tests: ['packages/server/test/gateway/requests.test.ts', 'packages/server/test/gateway/changes.test.ts'],
  },
  { requirement: 'A simulation', tests: ['packages/server/test/simulation/reconciler.test.ts'] },
  { requirement: 'With a degraded engine the API answers within 1 s', rows: [11, 12, 39] },
  {
    requirement: 'gVisor as an option, limits hold',
    tests: [docker('sandbox')],
    note: "nodejs and python bots, builds, memory, processor, processes; not bots with a network (Debian's runsc has none on Linux 6.18), not Kata",
  },
  {
    requirement: 'Backups with checksum, staging and atomic swap; upgrades keep containers',
    rows: [38],
    tests: [
      'test/faults/killed-in-files.test.ts',
      'packages/server/test/api/kills/backup.test.ts',
      'packages/server/test/api/kills/restore.test.ts',
    ],
  },
];
