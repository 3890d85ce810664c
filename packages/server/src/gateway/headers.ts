// Which headers the gateway forwards to the bot, and which back to the client. Pure; headers are
// flat lists (name, value, …) as received, to keep order, spelling and repetitions.

export type FlatHeaders = string[];

/** Headers of one connection only (RFC 9110, 7.6.1). `Trailer` is not among them. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that the gateway sets itself; received ones are dropped, also with `_` for `-`. */
const ownNames = /^(?:x-forwarded(?:-[a-z-]+)?|forwarded|x-real-ip|x-request-id|via)$/;
/** Ambiguous for programs that take `_` for `-`. */
const framingNames = /^(?:content-length|content-type|host|transfer-encoding|connection|cookie|authorization)$/;
/** A list in Connection can't remove these. */
const kept = new Set(['host', 'content-length']);
/** Fields not allowed after the body (RFC 9110, 6.5.1). */
const notInTrailers =
  /^(?:host|content-(?:length|encoding|type|range)|te|trailer|authorization|cookie|set-cookie|expect|upgrade)$/;
/** Methods of requests that have no body unless one is framed. */
const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

export interface RequestHead {
  method: string;
  rawHeaders: readonly string[];
  framing: 'none' | 'length' | 'chunked';
  /** The protocol to upgrade to, or null. */
  upgrade: string | null;
}

/** Headers for the bot; `own` are the gateway's (forwarded.ts). */
export function headersForBot(head: RequestHead, own: FlatHeaders): FlatHeaders {
  const { method, rawHeaders, framing, upgrade } = head;
  const headers: FlatHeaders = [];
  const named = namedByConnection(rawHeaders);
  let length: string | null = framing === 'none' && !bodiless.has(method) ? '0' : null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const key = name.toLowerCase();
    if (key === 'content-length') length = value;
    else if (key === 'te' && /\btrailers\b/i.test(value)) headers.push('TE', 'trailers');
    else if (!isDropped(key, named) && (key !== 'trailer' || framing === 'chunked')) headers.push(name, value);
  }
  headers.push(...own);
  if (upgrade !== null) headers.push('Connection', 'Upgrade', 'Upgrade', upgrade);
  // A connection that carried a body is not reused (bot-connection.ts).
  else if (framing !== 'none') headers.push('Connection', 'close');
  if (framing === 'chunked') headers.push('Transfer-Encoding', 'chunked');
  // Last: node:http reads other headers differently once it knows a length.
  else if (length !== null) headers.push('Content-Length', length);
  return headers;
}

/** Headers for the client. `isChunked`: the body is sent in chunks, and trailers may follow it. */
export function headersForClient(rawHeaders: readonly string[], isChunked: boolean): FlatHeaders {
  const headers: FlatHeaders = [];
  const named = namedByConnection(rawHeaders);
  let length: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const key = name.toLowerCase();
    if (key === 'content-length') length = value;
    else if (!hopByHop.has(key) && !named?.has(key) && (key !== 'trailer' || isChunked)) headers.push(name, value);
  }
  if (length !== null) headers.push('Content-Length', length);
  return headers;
}

/** Trailers as pairs, without those that would change what came before them. */
export function safeTrailers(rawTrailers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < rawTrailers.length; index += 2) {
    const name = rawTrailers[index] ?? '';
    const key = name.toLowerCase();
    if (!hopByHop.has(key) && !notInTrailers.test(key) && !ownNames.test(key))
      pairs.push([name, rawTrailers[index + 1] ?? '']);
  }
  return pairs;
}

/** The first value of a header, or null. */
export function headerOf(rawHeaders: readonly string[], key: string): string | null {
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === key) return rawHeaders[index + 1] ?? null;
  return null;
}

function isDropped(key: string, named: Set<string> | null): boolean {
  if (hopByHop.has(key) || ownNames.test(key) || (named?.has(key) && !kept.has(key))) return true;
  if (!key.includes('_')) return false;
  const dashed = key.replaceAll('_', '-');
  return ownNames.test(dashed) || framingNames.test(dashed) || hopByHop.has(dashed);
}

/** Names in Connection, in lower case; null when there are only the usual ones. */
function namedByConnection(rawHeaders: readonly string[]): Set<string> | null {
  let named: Set<string> | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    for (const part of (rawHeaders[index + 1] ?? '').split(',')) {
      const key = part.trim().toLowerCase();
      if (key !== '' && key !== 'keep-alive' && key !== 'close' && key !== 'upgrade') (named ??= new Set()).add(key);
    }
  }
  return named;
}
