// Converts schedules and their runs to the JSON of the contract. Pure.
import type { ScheduleData } from '@botel/contract/schedules';
import type { Schedule, ScheduleRun } from '../../core/domain/schedule.ts';
import { isoTime } from '../../core/http/present.ts';

export function presentSchedule(schedule: Schedule & { lastRun: ScheduleRun | null }): ScheduleData {
  return {
    id: schedule.id,
    bot_id: schedule.botId,
    name: schedule.name,
    cron: schedule.cron,
    timezone: schedule.timezone,
    action: schedule.action,
    enabled: schedule.enabled,
    keep: schedule.keep,
    next_run_at: schedule.nextRunAt === null ? null : isoTime(schedule.nextRunAt),
    last_run: schedule.lastRun && presentRun(schedule.lastRun),
    created_at: isoTime(schedule.createdAt),
    updated_at: isoTime(schedule.updatedAt),
  };
}

export function presentRun({ at, ok, error }: ScheduleRun) {
  return { at: isoTime(at), ok, error };
}
