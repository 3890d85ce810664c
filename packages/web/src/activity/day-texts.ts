// Days and times of a list that is read by days. Pure, but for the language and the time that are passed in.

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

/** Its midnight by the reader's clock. */
function dayOf(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
