// Parses addresses and ranges in operators' settings. Faults are predicates, as for all settings.
import { isIP, isIPv4, isIPv6 } from 'node:net';

/** A range `a.b.c.d/n`, and the port within it that is meant; no port = all. */
export interface AddressTarget {
  range: string;
  port: { protocol: 'tcp' | 'udp'; number: number } | null;
}

const rangeFault = 'must be IPv4 addresses or ranges like 192.0.2.0/24, separated by commas';
const targetFault = `${rangeFault}, each with a port like 192.0.2.10:5432/tcp where only that is meant`;

export function addressList(text: string): string[] {
  return parts(text).map((part) => {
    if (!isIPv4(part)) throw new Error('must be IPv4 addresses, separated by commas');
    return part;
  });
}

export function rangeList(text: string): string[] {
  return parts(text).map((part) => {
    const range = rangeOf(part);
    if (!range) throw new Error(rangeFault);
    return range;
  });
}

export function targetList(text: string): AddressTarget[] {
  return parts(text).map((part) => {
    const [, where = part, port, protocol] = /^([\d./]+):(\d{1,5})\/(tcp|udp)$/.exec(part) ?? [];
    const range = rangeOf(where);
    const number = Number(port);
    if (!range || (port !== undefined && !(number >= 1 && number <= 65_535))) throw new Error(targetFault);
    return { range, port: port === undefined ? null : { protocol: protocol as 'tcp' | 'udp', number } };
  });
}

/** Parses IPv4 and IPv6 addresses and ranges; `none` = an empty list. */
export function proxyList(text: string): string[] {
  if (text.trim() === 'none') return [];
  return parts(text).map((part) => {
    const [address = '', prefix, ...rest] = part.split('/');
    const isPrefix =
      prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv6(address) ? 128 : 32));
    if (!isIP(address) || !isPrefix || rest.length > 0)
      throw new Error('must be addresses or ranges like 192.0.2.0/24 or 2001:db8::/32, separated by commas, or none');
    return part;
  });
}

/** IPv4 and IPv6, each with an optional port: `192.0.2.53`, `192.0.2.53:5353`, `[::1]:53`. */
export function serverList(text: string): string[] {
  return parts(text).map((part) => {
    const [, v6 = '', v4 = part, port = '53'] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(part) ?? [];
    if (!isIP(v6 || v4) || Number(port) < 1 || Number(port) > 65_535)
      throw new Error('must be addresses like 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53, separated by commas');
    return part;
  });
}

const parts = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Null when it is neither an address nor a range. */
function rangeOf(text: string): string | null {
  const [address = '', prefix = '32', ...rest] = text.split('/');
  const isRange = isIPv4(address) && /^\d{1,2}$/.test(prefix) && Number(prefix) <= 32 && rest.length === 0;
  return isRange ? `${address}/${Number(prefix)}` : null;
}
