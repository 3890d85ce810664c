// The part of the composition root that makes and runs schedules. Must not be imported by anything but make-services.ts.
import type { Role } from './data-lock.ts';
import type { BotClaims } from './domain/backup.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import type { BackupsService } from './services/backups.ts';
import type { BotsService } from './services/bots.ts';
import { ScheduleRunner } from './services/schedule-runner.ts';
import { ScheduledActions } from './services/scheduled-actions.ts';
import { SchedulesService } from './services/schedules.ts';
import { BackupRecords } from './store/backup-records.ts';
import type { BotStore } from './store/bots.ts';
import type { Database } from './store/database.ts';
import type { EventStore } from './store/events.ts';
import type { ScheduleStore } from './store/schedules.ts';

interface Parts {
  role: Role;
  database: Database;
  bots: BotsService;
  backups: BackupsService;
  stores: { bots: BotStore; events: EventStore; schedules: ScheduleStore };
  claims: BotClaims;
  clock: Clock;
  ids: Ids;
  report(error: unknown, id: string): void;
}

/** The services around schedules; nothing is recovered and nothing runs yet. */
export function composeSchedules(made: Parts): { schedules: SchedulesService; scheduleRunner: ScheduleRunner } {
  const { database, bots, backups, stores, claims, clock, ids, report } = made;
  const actions = new ScheduledActions({
    bots,
    backups,
    store: stores.bots,
    records: new BackupRecords(database),
    claims,
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
