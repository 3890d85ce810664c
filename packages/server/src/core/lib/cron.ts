// When a cron expression fires. Five fields. Around clock changes, a skipped fixed time fires right
// after the change, and a repeated one fires once.
import { Cron } from 'croner';

/** An expression and the IANA name of its time zone. Both must be valid. */
export interface CronTimes {
  cron: string;
  timezone: string;
}

/** Valid, and fires at least once; the library's nicknames and single dates are rejected. */
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

/** The last time at or before `until`; null when there is none. */
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
