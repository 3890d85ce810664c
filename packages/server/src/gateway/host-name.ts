// Hostnames in the form used to find routes. Pure.

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const hostnamePattern = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`);
const bracketed = /^\[[0-9a-f:.]{2,45}\](?::\d{1,5})?$/;

/** The hostname of a Host header: lower case, without port and trailing dot. Null when invalid. */
export function hostnameOf(host: string): string | null {
  const text = host.toLowerCase();
  const colon = text.indexOf(':');
  if (text.startsWith('[')) return bracketed.test(text) ? text.slice(0, text.indexOf(']') + 1) : null;
  if (colon >= 0 && !/^\d{1,5}$/.test(text.slice(colon + 1))) return null;
  const whole = colon < 0 ? text : text.slice(0, colon);
  const name = whole.endsWith('.') ? whole.slice(0, -1) : whole;
  return hostnamePattern.test(name) ? name : null;
}

/** The port of a Host header, or null. Only for a valid header. */
export function portOf(host: string): string | null {
  return /:(\d{1,5})$/.exec(host)?.[1] ?? null;
}
