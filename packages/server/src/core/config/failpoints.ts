// The names of all failpoints (core/lib/failpoint.ts), for tests that arm one.

/** Steps of the reconciler, each with a failpoint before and after. */
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

/** What has happened when the failpoint is reached. `stored` = in an uncommitted transaction. */
const others: Record<string, string> = {
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
};

export const failpoints: readonly string[] = [
  ...steps.flatMap((step) => [`before.${step}`, `after.${step}`]),
  ...Object.keys(others),
];
