// Schedules: when they are due, and how late runs are handled. Pure: the time is an argument.
import type { ErrorCode, ScheduleAction, Scope } from '@botel/contract/vocabulary';
import { type CronTimes, lastTime, nextTime } from '../lib/cron.ts';
import type { NewEvent } from './event.ts';

/** Actions of schedules, and the scope that the owner needs for each. */
export const scopeOfAction = {
  backup: 'backups.write',
  start: 'bot.control',
  stop: 'bot.control',
  restart: 'bot.control',
  kill: 'bot.control',
  reinstall: 'bot.control',
} as const satisfies Record<ScheduleAction, Scope>;

/** Maximum schedules per bot. */
export const schedulesMax = 20;
/** Runs kept per schedule. */
export const runsKept = 50;

/** Times are ms since the epoch. */
export interface Schedule extends CronTimes {
  id: string;
  botId: string;
  name: string;
  action: ScheduleAction;
  /** Unlocked backups of this schedule to keep when it creates another; null = all. */
  keep: number | null;
  enabled: boolean;
  /** Next run, possibly past; null when disabled. */
  nextRunAt: number | null;
  /** When an unscheduled run was requested that has not begun. */
  askedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** `ok` is null while the run is in progress; `error` is one sentence for the owner. */
export interface ScheduleRun {
  at: number;
  ok: boolean | null;
  error: string | null;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A clock set back by more than this was wrong before; times recorded until then are ignored. */
const turnedBackMs = hourMs;

/** The next due time, null when disabled; `lastDueAt` already had its run and does not repeat. */
export function plannedAt(
  schedule: CronTimes & { enabled: boolean },
  now: number,
  lastDueAt: number | null = null,
): number | null {
  if (!schedule.enabled) return null;
  const isPlausible = lastDueAt !== null && lastDueAt - now < turnedBackMs;
  return nextTime(schedule, isPlausible ? Math.max(now, lastDueAt) : now);
}

/** A due run: the time it is for, whether it is too late, and the next due time. */
export interface DueRun {
  at: number;
  isLate: boolean;
  nextRunAt: number | null;
}

/** However many runs were missed, only the last one is made up. Null when nothing is due. */
export function dueRun(schedule: Schedule, now: number): DueRun | null {
  const { askedAt, action } = schedule;
  const planned =
    schedule.enabled && schedule.nextRunAt !== null && schedule.nextRunAt <= now ? schedule.nextRunAt : null;
  if (planned === null && askedAt === null) return null;
  const last = planned === null ? null : Math.max(planned, lastTime(schedule, now) ?? planned);
  const at = Math.max(last ?? 0, askedAt ?? 0);
  const patienceMs = action === 'backup' ? hourMs : 5 * minuteMs;
  return {
    at,
    isLate: now - at >= patienceMs,
    nextRunAt: last === null ? schedule.nextRunAt : nextTime(schedule, Math.max(now, last)),
  };
}

const fulfilled: Partial<Record<ScheduleAction, readonly ErrorCode[]>> = {
  start: ['bot_already_online', 'bot_already_starting'],
  stop: ['bot_already_offline'],
  kill: ['bot_already_offline'],
};

/** Whether the error means that the bot is already in the state that the schedule wants. */
export function isFulfilled(action: ScheduleAction, code: ErrorCode): boolean {
  return fulfilled[action]?.includes(code) ?? false;
}

export function lateText(dueAt: number): string {
  return `Skipped: it was due at ${new Date(dueAt).toISOString()}`;
}

export const cutOffText = 'Cut off by the end of Botel';
export const faultText = 'Something went wrong on the server';

export function failedEvent({ id, name, action }: Schedule, error: string): NewEvent {
  return {
    type: 'schedule.failed',
    message: `Schedule "${name}": ${error}`,
    detail: { schedule_id: id, action, error },
  };
}

const nameMax = 64;

/** `nightly 2026-11-21 03:00`, in the schedule's time zone; unique among the bot's backups. */
export function backupName({ name, timezone }: Schedule, at: number, taken: ReadonlySet<string>): string {
  // The Swedish locale formats dates in sortable order.
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' }).format(
    at,
  );
  for (let count = 1; ; count++) {
    const ending = ` ${time}${count === 1 ? '' : ` (${count})`}`;
    const beginning = [...name]
      .slice(0, nameMax - ending.length)
      .join('')
      .trimEnd();
    if (!taken.has(beginning + ending)) return beginning + ending;
  }
}
