// Which names a browser counts as one site: those below one registered name. Pure. Without the list of all registries, which
// changes weekly: it knows the common second-level ones, and may take two sites for one below a rare other.

const sharedSeconds = new Set(['ac', 'co', 'com', 'edu', 'gob', 'gov', 'gv', 'mil', 'ne', 'net', 'nom', 'or', 'org']);

/** The registered name that `hostname` is below; the whole of an address or of a single label. */
export function siteOf(hostname: string): string {
  const labels = hostname.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  if (hostname.includes(':') || /^\d+$/.test(top)) return hostname;
  const isShared = top.length === 2 && sharedSeconds.has(second);
  return labels.slice(isShared ? -3 : -2).join('.');
}
