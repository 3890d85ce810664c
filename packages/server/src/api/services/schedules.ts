// Schedules of callers' bots. A schedule can do nothing that its caller may not do.
import type { ScheduleAction } from '@botel/contract/vocabulary';
import { type Caller, requireScope } from '../../core/domain/access.ts';
import { fail, nullOn } from '../../core/domain/errors.ts';
import {
  plannedAt,
  runsKept,
  type Schedule,
  type ScheduleRun,
  schedulesMax,
  scopeOfAction,
} from '../../core/domain/schedule.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { isCron } from '../../core/lib/cron.ts';
import { type Ids, isUuid } from '../../core/lib/ids.ts';
import type { Database } from '../../core/store/database.ts';
import type { KnownSchedule, ScheduleStore } from '../../core/store/schedules.ts';
import type { BotsService } from '../../core/services/bots.ts';

/** The settings of a schedule; `keep` null = all backups are kept. */
export type ScheduleSettings = Pick<Schedule, 'name' | 'cron' | 'timezone' | 'action' | 'keep' | 'enabled'>;
export type ScheduleSettingsChange = { [K in keyof ScheduleSettings]?: ScheduleSettings[K] | undefined };

interface Deps {
  database: Database;
  bots: BotsService;
  schedules: ScheduleStore;
  clock: Clock;
  ids: Ids;
}

export class SchedulesService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The bot's schedules, newest first. */
  async list(caller: Caller, botId: string): Promise<KnownSchedule[]> {
    return this.#deps.schedules.ofBot((await this.#deps.bots.own(caller, botId)).id);
  }

  create(caller: Caller, botId: string, settings: ScheduleSettings): Promise<KnownSchedule> {
    const { database, bots, schedules, clock, ids } = this.#deps;
    return database.transaction(async () => {
      check(settings);
      requireScope(caller, scopeOfAction[settings.action]);
      const bot = await bots.own(caller, botId);
      const { length } = await schedules.ofBot(bot.id);
      if (length >= schedulesMax) throw fail.planLimit(length, schedulesMax, 'schedules');
      const now = clock.now();
      const id = ids.uuid();
      const nextRunAt = plannedAt(settings, now);
      await schedules.insert({ ...settings, id, botId: bot.id, nextRunAt, createdAt: now, updatedAt: now });
      return this.own(caller, id);
    });
  }

  /** Changes the given fields. `keep` applies to backups only; another action clears it. */
  update(caller: Caller, scheduleId: string, change: ScheduleSettingsChange): Promise<KnownSchedule> {
    const { database, schedules, clock } = this.#deps;
    return database.transaction(async () => {
      const before = await this.own(caller, scheduleId);
      const action = change.action ?? before.action;
      const after: ScheduleSettings = {
        name: change.name ?? before.name,
        cron: change.cron ?? before.cron,
        timezone: change.timezone ?? before.timezone,
        enabled: change.enabled ?? before.enabled,
        action,
        keep: change.keep !== undefined ? change.keep : action === 'backup' ? before.keep : null,
      };
      check(after);
      requireScope(caller, scopeOfAction[action]);
      const isSameTime =
        after.cron === before.cron && after.timezone === before.timezone && after.enabled === before.enabled;
      const now = clock.now();
      const nextRunAt = isSameTime ? before.nextRunAt : plannedAt(after, now);
      await schedules.update(before.id, { ...after, nextRunAt }, now);
      return this.own(caller, before.id);
    });
  }

  /** Deletes the schedule; its backups remain as if made by hand. */
  delete(caller: Caller, scheduleId: string): Promise<KnownSchedule> {
    const { database, schedules } = this.#deps;
    return database.transaction(async () => {
      const schedule = await this.own(caller, scheduleId);
      await schedules.remove(schedule.id);
      return schedule;
    });
  }

  /** Requests an immediate unscheduled run, even if disabled; does not wait for it. */
  async run(caller: Caller, scheduleId: string): Promise<KnownSchedule> {
    const { database, schedules, clock } = this.#deps;
    return database.transaction(async () => {
      const found = await this.own(caller, scheduleId);
      requireScope(caller, scopeOfAction[found.action]);
      if (found.lastRun?.ok === null) throw fail.botBusy(found.action);
      await schedules.ask(found.id, clock.now());
      return found;
    });
  }

  /** The newest runs, newest first. */
  async runs(caller: Caller, scheduleId: string): Promise<ScheduleRun[]> {
    return this.#deps.schedules.runs((await this.own(caller, scheduleId)).id, runsKept);
  }

  /** The schedule of a bot of the caller; malformed, unknown and other owners' ids fail alike. */
  async own(caller: Caller, scheduleId: string): Promise<KnownSchedule> {
    const schedule = isUuid(scheduleId) ? await this.#deps.schedules.find(scheduleId.toLowerCase()) : null;
    const bot = schedule && (await nullOn('bot_not_found', this.#deps.bots.own(caller, schedule.botId)));
    if (!bot) throw fail.scheduleNotFound();
    return schedule;
  }
}

function check({ cron, action, keep }: { cron: string; action: ScheduleAction; keep: number | null }): void {
  if (!isCron(cron)) throw fail.invalidInput('cron', 'is not valid');
  if (keep !== null && action !== 'backup') throw fail.invalidInput('keep', 'is for backups only');
}
