// Which names are the same site to a browser, by the public suffix list that comes with tldts.
import { getDomain } from 'tldts';

/** The registered name above `hostname`, which browsers call a site; addresses, single labels and
 * public suffixes are returned whole. */
export function registrableDomain(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true, validateHostname: false }) ?? hostname;
}
