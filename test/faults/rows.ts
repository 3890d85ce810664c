// The fault matrix: what is injected, what is expected, and the tests that show it. A row that this
// machine or this Botel can't show says why.

/** Tests of one file; those whose name matches `name`, or all. */
export interface Proof {
  file: string;
  name?: RegExp;
}

export interface Row {
  row: number;
  injected: string;
  expected: string;
  /** Empty: it can't be shown, and `missing` says why. */
  proofs: Proof[];
  /** What was measured, by whoever ran the matrix last. */
  figure?: string;
  /** What of the row is not shown, or differs. */
  missing?: string;
  /** Part of the short form: a few seconds. */
  short?: boolean;
}

const docker = (file: string, name?: RegExp): Proof => ({ file: `test/docker/${file}.test.ts`, name });
const faults = (file: string, name?: RegExp): Proof => ({ file: `test/faults/${file}.test.ts`, name });
const server = (file: string, name?: RegExp): Proof => ({ file: `packages/server/${file}.test.ts`, name });
const steps = (row: number) => faults('killed-at-a-step', new RegExp(`^row ${row}:`));

export const rows: readonly Row[] = [
  {
    row: 1,
    injected: 'kill -9 of Botel: desired state stored, before create',
    expected: 'online after the restart, one container',
    figure: 'online 0.9 to 3.0 s after the process was launched',
    proofs: [steps(1)],
  },
  {
    row: 2,
    injected: 'kill -9 between create and start',
    expected: 'adopted, started once',
    figure: '2.0 to 4.5 s',
    proofs: [steps(2)],
    short: true,
  },
  {
    row: 3,
    injected: 'kill -9 between start and its record',
    expected: 'online, not started twice',
    figure: '0.9 to 2.2 s',
    proofs: [steps(3)],
  },
  {
    row: 4,
    injected: 'kill -9 during the grace of a stop',
    expected: 'the stop completes, the desired state stays',
    figure: '0.9 to 1.4 s; 12.2 s if the stop had not been sent',
    proofs: [steps(4)],
    missing: 'if killed between recording and sending the stop, the bot gets SIGKILL after its grace',
  },
  {
    row: 5,
    injected: 'kill -9 between remove and create of a restart',
    expected: 'a new container, files intact',
    figure: '4.6 and 5.3 s after the process was launched',
    proofs: [steps(5)],
  },
  {
    row: 6,
    injected: 'kill -9 during a deletion',
    expected: 'completes; no container, no home',
    figure: '1.2 to 3.6 s',
    proofs: [steps(6)],
    short: true,
  },
  {
    row: 7,
    injected: 'the API is dead, the agent or the engine is not',
    expected: 'bots keep running, crashed ones restart; logs are complete',
    figure:
      '120 s without the api: 16,386 and 18,032 lines of 3 bots, none missing, the bot that ended was restarted; a frozen process is detected after 10 to 12 s',
    proofs: [
      faults('api-dead'),
      server('test/api/roles', /^the (api answers|agent restarts)/),
      server('test/api/frozen-processes'),
      docker('recovery', /^kill -9 of the control plane/),
    ],
    missing: 'in one process nothing restarts while it is dead',
  },
  {
    row: 8,
    injected: 'kill -9 of the engine, live-restore on',
    expected: 'no bot restarts, ends are recorded',
    figure:
      '20 bots: 16 kept running in the same containers; the ends of 4 were recorded, and these were online again 5.7 and 6.3 s after the engine began to start',
    missing:
      'lines that the engine had read and not yet written (in one of four runs one line of one bot) are lost without a record',
    proofs: [docker('engine-away', /live-restore on/)],
  },
  {
    row: 9,
    injected: 'kill -9 of the engine, live-restore off',
    expected: 'desired bots are back within 60 s, stopped ones stay stopped',
    figure:
      '3 bots in the test after 2.4 s; 100 bots after 33.4 s, of which the engine took 14.0 s (docs/benchmarks.md)',
    proofs: [docker('engine-away', /^engine killed, live-restore off/)],
  },
  {
    row: 10,
    injected: 'the engine is restarted cleanly',
    expected: 'as row 9',
    figure: '3 bots are back 1.5 and 3.0 s after the engine began to start',
    proofs: [docker('engine-away', /^engine restarted, live-restore off/)],
  },
  {
    row: 11,
    injected: 'the engine is frozen for 60 s',
    expected: 'the API answers within 1 s and reports it; nothing is done twice',
    figure: 'slowest answer 40 to 128 ms; all bots in their desired state 6.2 to 11.4 s after the engine resumed',
    proofs: [faults('engine-frozen')],
  },
  {
    row: 12,
    injected: '20 % of engine calls fail: 500, 409, cut connection, lost reply',
    expected: 'converges',
    figure: '20 lifecycle calls for 4 bots were carried out, 63 to 70 engine calls failed',
    proofs: [faults('faulty-engine', /^row 12:/)],
  },
  {
    row: 13,
    injected: 'replies to create, start, stop and remove are lost',
    expected: 'adopted; each is done once',
    figure: '4 replies lost, each call was made once',
    proofs: [docker('lost-replies')],
    short: true,
  },
  {
    row: 14,
    injected: 'engine events cut off, 10,000 at once, none',
    expected: 'the state is right within 30 s',
    figure: 'none: online again after 29.9 to 31.6 s; 10,000: slowest of 20 answers 0.1 to 1.2 s',
    proofs: [faults('faulty-engine', /^row 14:/)],
  },
  {
    row: 15,
    injected: 'someone removes the container',
    expected: 'vanished, created again',
    figure: 'online again 2.7 s after it was removed',
    proofs: [docker('lifecycle', /^a container that somebody removes/), docker('logs-exact', /^a container that/)],
    short: true,
  },
  {
    row: 16,
    injected: 'another container has the name',
    expected: 'a clear error; it stays untouched',
    figure: 'start_failed: The name of its container is taken by a container that is not of this Botel',
    proofs: [docker('lifecycle', /^a stranger under the name/)],
  },
  {
    row: 17,
    injected: 'reboot: engine, its shims and Botel are killed and started',
    expected: 'desired bots are back, stopped ones stay stopped',
    figure: '6 bots online 7.8 to 11.3 s after engine and Botel started',
    proofs: [faults('machine-reboot')],
    missing: 'a real reboot; disk behaviour at a power loss',
  },
  {
    row: 18,
    injected: 'a bot keeps exiting with 1',
    expected: 'growing delays, crash_loop',
    proofs: [
      docker('ends', /^a crash is tried again/),
      docker('crash-loops'),
      server('src/core/domain/restart-policy'),
    ],
    figure:
      'five of them took 3.1 to 5.2 % of a core in their first 30 s (5 runs each): 1.0 % each at most, less later',
  },
  {
    row: 19,
    injected: 'a bot exits with 0',
    expected: 'it stays offline, not counted as a crash',
    figure: '1 run, 0 restarts',
    proofs: [docker('ends', /^code 0/)],
  },
  {
    row: 20,
    injected: 'out of memory: the program, a child of it',
    expected: 'oom; an event, and the bot keeps running',
    figure: 'oom with code 137 at a peak of 128 MB of 128',
    proofs: [docker('ends', /^out of memory/)],
  },
  {
    row: 21,
    injected: 'bots that exhaust processes, memory, CPU, inotify',
    expected: 'each ends at its limit; the latency of a neighbour stays under 2x',
    proofs: [docker('limits', /without end|on all processors/), docker('neighbours')],
    figure: 'see Neighbours',
  },
  {
    row: 22,
    injected: 'a bot that writes as fast as it can; Botel killed meanwhile',
    expected: 'throttled within 10 s, stopped with a reason if no throttle holds; the logs of others are exact',
    proofs: [
      docker('output-throttle'),
      server('test/api/output-throttle'),
      server('src/core/domain/output-throttle'),
      server('src/agent/tasks/throttle-output'),
    ],
    figure:
      'the engine took 85 to 100 % of a core before, 0.7 to 1.2 % with the throttle; a throttled bot was gone 0.05 to 0.5 s after stop and kill, its end recorded 0.5 to 27 s later, once its output was stored; where the engine refused every throttle, a real container was stopped with the reason 11.1 and 12.6 s after its start',
  },
  {
    row: 23,
    injected: '300,000 lines over rotations, kill -9 of Botel',
    expected: 'exact or marked',
    figure:
      '300,000 lines: none lost; with Botel killed meanwhile, 117,797 and 109,161 had rotated away, in one record each; the server took 272 to 326 MB',
    proofs: [steps(23), docker('logs-exact', /^300,000 lines/), server('test/capture/log-capture', /^killed anywhere/)],
  },
  {
    row: 24,
    injected: '200 live stream clients that never read',
    expected: 'less than 50 MB more, others on time, late reads exact',
    figure:
      '53 to 60 MB more than the 161 MB without them, lines of 1 kB; slowest answer to others 300 to 400 ms (machine loaded)',
    proofs: [
      faults('stalled-clients'),
      server('test/capture/log-store', /^a reader that stands still/),
      server('test/api/bots-logs-stream', /^a client that does not read/),
    ],
    missing: 'the goal of 50 MB: 7 MB are buffers of the clients, the rest is heap growth',
  },
  {
    row: 25,
    injected: 'a bot fills its disk, bytes and inodes',
    expected: 'ENOSPC only there',
    figure: 'ENOSPC at 31.94 MB of 32; an empty image takes 4.3 to 8.6 MB and 0.1 to 0.2 s',
    proofs: [docker('disk'), server('src/agent/homes/home-images'), server('test/api/disk-images')],
    missing: 'project quotas: not in this kernel',
  },
  {
    row: 26,
    injected: 'the volume of the database, or of the engine, is full',
    expected: 'storage_full; bots keep running; recovers without a restart',
    figure:
      'database: lines are stored again 4.0 to 4.3 s after there was room, none lost; engine: the call is kept and start_failed says why, the bot is online 1.6 and 1.8 s after there was room; running bots lost 0 and 8 lines, recorded in the log',
    proofs: [
      faults('disk-full'),
      faults('engine-disk-full'),
      server('test/api/disk-full'),
      server('src/core/data-folder/host-storage'),
    ],
  },
  {
    row: 27,
    injected: 'kill -9 of the server under load, 100 times; its database copied at any moment',
    expected: 'the database is intact, every answered write is there',
    figure:
      '100 times: 5,371 and 9,351 answered writes to 40 bots, 0 lost; 600 calls cut off; 100 copies opened and intact',
    proofs: [faults('kills-under-load')],
  },
  {
    row: 28,
    injected: 'a truncated, overwritten, empty or missing database; a damaged log cursor',
    expected: 'refused with an explanation, left as it is, never recreated; the cursor is recorded as a loss',
    figure: '5 kinds of damage refused',
    proofs: [
      faults('damaged-database'),
      server('src/core/data-folder/install-id'),
      server('test/capture/log-capture', /^a cursor that is damaged/),
    ],
    short: true,
  },
  {
    row: 29,
    injected: 'the clock moves by an hour, forward and back',
    expected: 'no restart storm, tokens stay valid, sequence numbers in order',
    figure: 'retried after 4.0 to 4.4 s, no run of a steady bot ended',
    proofs: [faults('clock-moved'), server('src/core/lib/rate-limiter')],
    missing: 'a running grace period ends at once when the clock moves forward',
  },
  {
    row: 30,
    injected: 'a bot that ignores signals, a slow handler, compound commands, nested shells',
    expected: 'ended within grace + 2 s; handlers complete',
    figure:
      'a bot that ignores signals ended 1.04 to 1.09 s after its stop with a grace of 1 s; 10 kinds of commands complete their handlers',
    proofs: [docker('launcher'), docker('signals')],
  },
  {
    row: 31,
    injected: 'races with links, FIFOs and devices on every file operation',
    expected: 'no escape, nothing blocks',
    proofs: [
      { file: 'test/attacks/attacks.test.ts' },
      server('src/agent/homes/bot-files', /refuses paths|swaps folders/),
    ],
    figure: '60 s: 3,836 calls of 14 verbs against 840,000 swaps, 0 escapes; slowest answer to a bystander 446 ms',
  },
  {
    row: 32,
    injected: 'hostile archives; interrupted uploads; kill -9 while unpacking',
    expected: 'the old or the new tree, nothing left in staging',
    figure:
      'an upload killed 12 and 8 times: before it was decided (9 and 5) the old tree, after it (3 and 3) the new one; nothing left',
    proofs: [
      faults('killed-in-files', /^row 32:/),
      server('src/agent/homes/archive-corpus'),
      server('src/agent/homes/upload-crash'),
      server('src/agent/homes/merge'),
      server('test/api/kills/upload'),
    ],
  },
  {
    row: 33,
    injected: 'rules flushed or moved, port open, kernel setting off',
    expected: 'repaired at the next check, logged; no start meanwhile',
    proofs: [docker('firewall'), server('test/api/firewall')],
  },
  {
    row: 34,
    injected: 'start, stop, restart, kill, delete at once on one bot',
    expected: 'the highest generation wins; one container',
    figure: '3 times 50 calls: 27 to 29 accepted, never two containers',
    proofs: [
      faults('many-lifecycle-calls'),
      docker('lifecycle', /overtakes|two restarts at once/),
      server('test/api/bots-start', /^of 20 starts at once/),
    ],
  },
  {
    row: 35,
    injected: '50 creates at once at the limit',
    expected: 'never more than the plan',
    figure: '8 of 50 creates of 500 MB in 4,096 MB; 10 of 50 with 10 bots',
    proofs: [server('test/api/bots-create', /^(of 50 creates|"cannot exceed)/)],
  },
  {
    row: 36,
    injected: 'the image is missing, and pull and build fail',
    expected: 'start_failed with the reason, retried',
    figure: 'holds',
    proofs: [docker('runtime-images', /neither pulled nor built/), server('src/agent/reconciler/image-preparer')],
  },
  {
    row: 37,
    injected: 'a malicious app name; an upstream that hangs',
    expected: 'refused; others are served',
    figure: 'holds; 69 hostile requests refused, 18 invalid bodies cut off',
    proofs: [
      server('test/api/apps-check'),
      server('test/gateway/hostile-requests'),
      server('test/gateway/pages'),
      server('test/gateway/process'),
    ],
  },
  {
    row: 38,
    injected: 'upgrade and rollback of Botel',
    expected: 'the same containers; the old program refuses a newer schema',
    figure: 'holds',
    proofs: [server('src/core/store/database', /newer schema/), docker('recovery', /^by default bots go on/)],
  },
  {
    row: 39,
    injected: 'the creation of one container hangs',
    expected: 'that bot: start_failed at its deadline; others go on',
    figure: 'start_failed after 60 s; the other bot online after 0.6 s',
    proofs: [faults('faulty-engine', /^row 39:/)],
  },
];
