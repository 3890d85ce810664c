// Places at which a test makes the process die, fail, freeze or hang: one line each in the code, all of them in one table.
// Must never be armed but for a test (core/config/test-hooks.ts); costs a comparison when it is not.

/** Steps of the reconciler, each with a place before and one after it. */
const steps = [
  'begin',
  'create',
  'start',
  'record_running',
  'stop',
  'kill',
  'record_end',
  'record_vanished',
  'cancel_run',
  'remove',
  'record_gone',
  'purge',
] as const;

/** What was done when the place is reached. `stored` = in a transaction that is not committed. */
const others = {
  'desired.stored': 'a desired state is written',
  'desired.committed': 'a desired state is committed, and its caller has no answer',
  'create.ready': 'image, network and home are ready, and the engine was not asked yet',
  'exit.stored': 'the end of a run is written',
  'built.stored': 'the key of a build is written',
  'purge.home': 'the home of a deleted bot is gone, and its row is there',
  'lines.stored': 'lines of output are written, and their cursor is not',
  'lines.committed': 'lines and cursor are committed',
  'input.taken': 'an input is marked as begun',
  'input.written': 'an input was written, and that is not recorded',
  'upload.journal': 'the journal of an upload is on the disk',
  'upload.step': 'a step of an upload was performed',
  'upload.done': 'all steps of an upload were performed, and its stage is there',
  'backup.written': 'a backup is written under another name',
  'backup.named': 'a backup has its name, and its record does not say so',
  'restore.journal': 'the journal of a restore is on the disk',
  'restore.moved': 'the old home is put aside',
  'restore.exchanged': 'the new home is in its place, and its settings are not applied',
  'schedule.claimed': 'a due run is taken',
  'schedule.done': 'a due run was carried out, and that is not recorded',
  'migration.copied': 'the database is copied, and not migrated',
} as const;

export type Failpoint = `before.${(typeof steps)[number]}` | `after.${(typeof steps)[number]}` | keyof typeof others;

export const failpoints: readonly string[] = [
  ...steps.flatMap((step) => [`before.${step}`, `after.${step}`]),
  ...Object.keys(others),
];

/** kill: SIGKILL. throw: an error. freeze: SIGSTOP, until somebody sends SIGCONT. hang: what waits for the place waits for ever. */
export const failpointActions = ['kill', 'throw', 'freeze', 'hang'] as const;

/** One place and what happens at it, from the `nth` time on that it is reached; `kill`, `throw` and `freeze` happen once. */
export interface ArmedFailpoint {
  name: string;
  action: (typeof failpointActions)[number];
  nth: number;
}

let armed: ArmedFailpoint | null = null;

/** For the whole process. */
export function armFailpoint(point: ArmedFailpoint): void {
  armed = { ...point };
}

/** The place `name` is reached. Await it where something can wait; only `hang` makes it wait. */
export function failpoint(name: Failpoint | `${'before' | 'after'}.${string}`): undefined | Promise<never> {
  return armed === null ? undefined : reach(armed, name);
}

function reach(point: ArmedFailpoint, name: string): undefined | Promise<never> {
  if (point.name !== name || --point.nth > 0) return undefined;
  switch (point.action) {
    case 'hang':
      return new Promise(() => {});
    case 'throw':
      armed = null;
      throw new Error(`Failpoint ${name}`);
    case 'freeze':
    case 'kill':
      armed = null;
      process.kill(process.pid, point.action === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      return undefined;
  }
}
