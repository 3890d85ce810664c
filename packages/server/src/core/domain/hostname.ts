// Owners' hostnames for apps: which are allowed, how ownership is proved and checked. Pure.
import { isIP } from 'node:net';
import type { DomainStatus } from '@botel/contract/vocabulary';

/** An owner's claim of a hostname for an app. Times are ms since the epoch. */
export interface Domain {
  id: string;
  appId: string;
  /** ASCII, in lower case. */
  hostname: string;
  /** Proves ownership of the DNS zone, as a TXT record. */
  token: string;
  status: DomainStatus;
  /** Why the last check failed. */
  fault: string | null;
  checkedAt: number | null;
  /** Last successful check. */
  verifiedAt: number | null;
  /** When a certificate was first requested. */
  tlsAskedAt: number | null;
  createdAt: number;
}

/** Maximum domains per app. */
export const domainsMax = 10;
/** Time between checks of a verified domain, and how long it survives without success. */
export const recheckMs = 24 * 60 * 60 * 1000;
export const lapseMs = 3 * recheckMs;

/** Names of this server. Owners can't claim them, nor anything below the apps domain. */
export interface ServerNames {
  appsDomain: string;
  /** Host of the public URL; null when none is set. */
  publicHost: string | null;
}

/** Suffixes that resolve nowhere, or differently on each network. */
const localEnds = new Set(['localhost', 'local', 'localdomain', 'internal', 'intranet', 'invalid', 'arpa', 'onion']);

/** Normalizes a name for comparison: lower case, no trailing dot. */
export function plainHostname(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}

/** The normalized hostname, or what is wrong with it, as a predicate. */
export function readHostname(given: string, names: ServerNames): { hostname: string } | { fault: string } {
  const hostname = plainHostname(given);
  if (!isHostname(hostname)) return { fault: 'must be a hostname like www.example.com, in ASCII (xn--… for others)' };
  if (hostname === names.publicHost) return { fault: 'must not be the name of this server' };
  if (hostname === names.appsDomain || hostname.endsWith(`.${names.appsDomain}`))
    return { fault: `must not be below ${names.appsDomain}` };
  return { hostname };
}

function isHostname(hostname: string): boolean {
  const labels = hostname.split('.');
  const end = labels.at(-1) ?? '';
  return (
    hostname.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    !/^(\d+|0x[0-9a-f]*)$/.test(end) &&
    isIP(hostname) === 0 &&
    !localEnds.has(end)
  );
}

/** DNS records that prove ownership; one of them suffices. `target` is the app's own name. */
export function recordsOf({ hostname, token }: Domain, target: string) {
  return [
    { type: 'TXT' as const, name: challengeName(hostname), value: token },
    { type: 'CNAME' as const, name: hostname, value: target },
  ];
}

export function challengeName(hostname: string): string {
  return `_botel.${hostname}`;
}

/** Values of the records; null = no answer, which proves nothing. */
export interface Seen {
  txt: string[] | null;
  cname: string[] | null;
}

export type Verdict = Pick<Domain, 'status' | 'fault' | 'verifiedAt'>;

/**
 * Whether a claim ends at once in favour of another that is proven: answers came, and none of them
 * proves this one.
 */
export function isSuperseded(domain: Domain, target: string, seen: Seen): boolean {
  return seen.txt !== null && seen.cname !== null && !isProven(domain, target, seen);
}

function isProven({ token }: Domain, target: string, { txt, cname }: Seen): boolean {
  const isShown = txt?.some((value) => value.trim().replace(/^"(.*)"$/, '$1') === token) === true;
  return isShown || cname?.map(plainHostname).includes(target) === true;
}

/** The outcome of a check. Without an answer the domain keeps its state. */
export function judgeRecords(domain: Domain, target: string, seen: Seen, now: number): Verdict {
  const { hostname, status, verifiedAt } = domain;
  if (isProven(domain, target, seen)) return { status: 'verified', fault: null, verifiedAt: now };
  if (!seen.txt || !seen.cname) return { status, fault: 'The name servers gave no answer', verifiedAt };
  const isKept = status === 'verified' && verifiedAt !== null && now - verifiedAt < lapseMs;
  const alias = seen.cname[0] && plainHostname(seen.cname[0]);
  const led = alias !== undefined && isHostname(alias) ? `: it leads to ${alias}` : '';
  const fault = `No TXT record with the token at ${challengeName(hostname)}, and no CNAME of ${hostname} to ${target}${led}`;
  return { status: isKept ? 'verified' : 'failed', fault, verifiedAt };
}
