// The site of a hostname, as browsers see it: everything below one registered name. Pure. Without
// the public suffix list, which changes weekly: knows the common second-level suffixes, and may
// merge two sites below a rare other one.

const sharedSeconds = new Set(['ac', 'co', 'com', 'edu', 'gob', 'gov', 'gv', 'mil', 'ne', 'net', 'nom', 'or', 'org']);

/** The registered name above `hostname`; addresses and single labels are returned whole. */
export function siteOf(hostname: string): string {
  const labels = hostname.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  if (hostname.includes(':') || /^\d+$/.test(top)) return hostname;
  const isShared = top.length === 2 && sharedSeconds.has(second);
  return labels.slice(isShared ? -3 : -2).join('.');
}
