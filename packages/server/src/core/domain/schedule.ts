// What a schedule is, when it is due, and what becomes of a run that is late. Pure: the time is an argument.
import type { ErrorCode, ScheduleAction, Scope } from '@botel/contract/vocabulary';
import { type CronTimes, lastTime, nextTime } from '../lib/cron.ts';
import type { NewEvent } from './event.ts';

/** What a schedule can do, and the scope that its owner needs for it. */
export const scopeOfAction = {
  backup: 'backups.write',
  start: 'bot.control',
  stop: 'bot.control',
  restart: 'bot.control',
  kill: 'bot.control',
  reinstall: 'bot.control',
} as const satisfies Record<ScheduleAction, Scope>;

/** Schedules that a bot may have. */
export const schedulesMax = 20;
/** Runs of a schedule that are remembered. */
export const runsKept = 50;

/** Times are ms since the epoch. */
export interface Schedule extends CronTimes {
  id: string;
  botId: string;
  name: string;
  action: ScheduleAction;
  /** Unlocked backups of this schedule that stay when it makes another one; null = all. */
  keep: number | null;
  enabled: boolean;
  /** Its next run, which may be past; null when it is not enabled. */
  nextRunAt: number | null;
  /** When a run out of turn was asked for that was not begun yet. */
  askedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** `ok` is null while it is under way; `error` is one sentence for the owner. */
export interface ScheduleRun {
  at: number;
  ok: boolean | null;
  error: string | null;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A clock that was turned back by more than this was wrong before: what it said then counts no more. */
const turnedBackMs = hourMs;

/** When a schedule is due next, null for one that is not enabled; `lastDueAt` has had its run and gets no other one. */
export function plannedAt(
  schedule: CronTimes & { enabled: boolean },
  now: number,
  lastDueAt: number | null = null,
): number | null {
  if (!schedule.enabled) return null;
  const isPlausible = lastDueAt !== null && lastDueAt - now < turnedBackMs;
  return nextTime(schedule, isPlausible ? Math.max(now, lastDueAt) : now);
}

/** A run of a schedule that is due: the moment that it is for, whether it is too late for it, and the next one. */
export interface DueRun {
  at: number;
  isLate: boolean;
  nextRunAt: number | null;
}

/** However many runs were missed, there is one: for the last of them. Null when nothing is due. */
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

/** Whether a refusal says that the bot is already what the schedule wants it to be. */
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

/** `nightly 2026-11-21 03:00`, in the schedule's time zone: a name that no other backup of the bot has. */
export function backupName({ name, timezone }: Schedule, at: number, taken: ReadonlySet<string>): string {
  // Swedes write dates as they are sorted.
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
