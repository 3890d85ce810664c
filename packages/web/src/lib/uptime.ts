// Whether a bot is old enough for its uptime to mean something. Pure.

/** Before that, the seconds until the first start would count as an outage. */
const minAgeMs = 10 * 60 * 1000;

/** The uptime in percent of a bot that was created at `createdAt`; null = not known yet. */
export function shownUptime(percent: number | null | undefined, createdAt: string, now: number): number | null {
  return typeof percent !== 'number' || now - Date.parse(createdAt) < minAgeMs ? null : percent;
}
