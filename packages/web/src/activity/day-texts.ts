// Days and times of lists that are grouped by day. Pure: language and current time are passed in.

/** `Today`, `Yesterday`, else the date. Times in ms. */
export function dayText(at: number, language: string, now = Date.now()): string {
  const days = Math.round((dayOf(now) - dayOf(at)) / (24 * 3_600_000));
  const names = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (days < 2) {
    const name = names.format(-days, 'day');
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  }
  return new Intl.DateTimeFormat(language, { dateStyle: 'full' }).format(at);
}

export function timeText(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(at);
}

/** Midnight of its day, in local time. */
function dayOf(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
