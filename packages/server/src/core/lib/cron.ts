// When a cron expression comes: the only file that knows the library for it. Five fields, minutes to weekdays. Where
// the clocks change, a fixed time that is left out comes right after the change, and one that comes twice counts once.
import { Cron } from 'croner';

/** An expression and the IANA name of the time zone in which it is read. Both must be valid. */
export interface CronTimes {
  cron: string;
  timezone: string;
}

/** Whether it can be read, and will ever come. The library's nicknames and single dates are no expressions. */
export function isCron(cron: string): boolean {
  if (cron.trim().split(/\s+/).length !== 5) return false;
  try {
    return parsed({ cron, timezone: 'UTC' }).nextRun() !== null;
  } catch {
    return false;
  }
}

/** The first time after `after`; null when there is none. Times are ms since the epoch. */
export function nextTime(times: CronTimes, after: number): number | null {
  return parsed(times).nextRun(new Date(after))?.getTime() ?? null;
}

/** The last time until `until`, inclusive; null when there is none. */
export function lastTime(times: CronTimes, until: number): number | null {
  return (
    parsed(times)
      .previousRuns(1, new Date(until + 1))[0]
      ?.getTime() ?? null
  );
}

function parsed({ cron, timezone }: CronTimes): Cron {
  return new Cron(cron, { mode: '5-part', timezone });
}
