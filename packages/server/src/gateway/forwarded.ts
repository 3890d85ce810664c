// The headers that describe the client to the bot: X-Forwarded-*, Forwarded, Via, X-Request-Id.
// Values sent by the client count only when it is a trusted proxy. Pure but for the request's id.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { portOf } from './host-name.ts';
import type { FlatHeaders } from './headers.ts';

/** The client, as far as it is known. */
export interface Peer {
  /** Address of the connection. */
  address: string;
  /** Whether its forwarding headers are trusted. */
  isTrusted: boolean;
  /** Address of the original client. */
  clientAddress: string;
}

/** The host that the client asked for, and the port on which the gateway received the request. */
interface Asked {
  host: string;
  localPort: number;
}

/** A list as proxies write it: no control characters, bounded length. */
const listPattern = /^[\x21-\x7e\x20]{1,2000}$/;
const hostPattern = /^[A-Za-z0-9_.:[\]-]{1,260}$/;
const idPattern = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The gateway's own headers for the bot. */
export function forwardedHeaders(
  { headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>,
  peer: Peer,
  { host, localPort }: Asked,
): FlatHeaders {
  const said = (name: string, pattern: RegExp): string | null => {
    const value = peer.isTrusted ? headers[name] : undefined;
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text !== undefined && pattern.test(text) ? text : null;
  };
  const proto = said('x-forwarded-proto', /^https?$/) ?? 'http';
  const askedHost = said('x-forwarded-host', hostPattern) ?? host;
  const port =
    said('x-forwarded-port', /^\d{1,5}$/) ?? portOf(askedHost) ?? (proto === 'https' ? '443' : String(localPort));
  const before = said('x-forwarded-for', listPattern);
  const element = `for=${node(peer.address)};host=${quoted(askedHost)};proto=${proto}`;
  const forwarded = said('forwarded', listPattern);
  const via = headers.via;
  return [
    'X-Forwarded-For',
    before === null ? peer.address : `${before}, ${peer.address}`,
    'X-Forwarded-Proto',
    proto,
    'X-Forwarded-Host',
    askedHost,
    'X-Forwarded-Port',
    port,
    'X-Real-IP',
    peer.clientAddress,
    'Forwarded',
    forwarded === null ? element : `${forwarded}, ${element}`,
    'Via',
    `${via === undefined || !listPattern.test(via) ? '' : `${via}, `}${httpVersion} botel`,
    'X-Request-Id',
    said('x-request-id', idPattern) ?? randomUUID(),
  ];
}

/** IPv6 addresses are bracketed and quoted (RFC 7239, 6). */
function node(address: string): string {
  return address.includes(':') ? `"[${address}]"` : address || 'unknown';
}

function quoted(host: string): string {
  return /^[A-Za-z0-9._-]+$/.test(host) ? host : `"${host}"`;
}
