// The part of the composition root that makes and runs schedules. Must not be imported by anything but make-services.ts.
import type { Role } from '../core/data-folder/data-lock.ts';
import type { BotLocks } from '../core/domain/backup.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import type { BackupsService } from '../agent/services/backups.ts';
import type { BotsService } from '../core/services/bots.ts';
import { ScheduleRunner } from '../agent/services/schedule-runner.ts';
import { ScheduledActions } from '../agent/services/scheduled-actions.ts';
import { SchedulesService } from '../api/services/schedules.ts';
import { BackupRecords } from '../core/store/backup-records.ts';
import type { BotStore } from '../core/store/bots.ts';
import type { Database } from '../core/store/database.ts';
import type { EventStore } from '../core/store/events.ts';
import type { ScheduleStore } from '../core/store/schedules.ts';

interface Parts {
  role: Role;
  database: Database;
  bots: BotsService;
  backups: BackupsService;
  stores: { bots: BotStore; events: EventStore; schedules: ScheduleStore };
  locks: BotLocks;
  clock: Clock;
  ids: Ids;
  report(error: unknown, id: string): void;
}

/** The services around schedules; nothing is recovered and nothing runs yet. */
export function composeSchedules(made: Parts): { schedules: SchedulesService; scheduleRunner: ScheduleRunner } {
  const { database, bots, backups, stores, locks, clock, ids, report } = made;
  const actions = new ScheduledActions({
    bots,
    backups,
    store: stores.bots,
    records: new BackupRecords(database),
    locks,
  });
  const { bots: store, events, schedules } = stores;
  const runner = new ScheduleRunner({ database, schedules, bots: store, events, actions, clock, report });
  return {
    schedules: new SchedulesService({
      database,
      bots,
      schedules,
      // The agent hears of what is asked for in the api.
      runner: made.role === 'api' ? { look: async () => {} } : runner,
      clock,
      ids,
    }),
    scheduleRunner: runner,
  };
}
