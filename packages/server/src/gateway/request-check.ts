// Refuses requests that servers could read in two ways, beyond what node's parser refuses. Pure.
import type { IncomingMessage } from 'node:http';
import type { GatewayFaultCode } from '../core/domain/gateway-fault.ts';
import { hostnameOf } from './host-name.ts';

/** A request that passed the checks. */
export interface CheckedRequest {
  /** In origin form: `/path?query`, or `*`. */
  path: string;
  /** The Host header as sent. */
  host: string;
  hostname: string;
  /** How its body is framed. */
  framing: 'none' | 'length' | 'chunked';
}

type Head = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>;

interface Named {
  host: string[];
  'content-length': string[];
  'transfer-encoding': string[];
}

export function checkRequest(request: Head): CheckedRequest | GatewayFaultCode {
  const { method = '', url = '', httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'bad_request';
  if (method === 'CONNECT' || method === 'TRACE') return 'method_not_allowed';
  const named = collect(request.rawHeaders);
  const framing = framingOf(named, httpVersion);
  if (!framing) return 'bad_request';
  const [host, ...otherHosts] = named.host;
  const hostname = host === undefined || otherHosts.length > 0 ? null : hostnameOf(host);
  if (host === undefined || hostname === null) return 'host_not_valid';
  const path = originForm(url, hostname, method);
  return path === null ? 'bad_request' : { path, host, hostname, framing };
}

function collect(rawHeaders: readonly string[]): Named {
  const named: Named = { host: [], 'content-length': [], 'transfer-encoding': [] };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Most names differ in length from these three.
    if (name.length !== 4 && name.length !== 14 && name.length !== 17) continue;
    const values = named[name.toLowerCase() as keyof Named] as string[] | undefined;
    values?.push(rawHeaders[index + 1] ?? '');
  }
  return named;
}

/** Null: the framing is ambiguous. */
function framingOf(named: Named, httpVersion: string): CheckedRequest['framing'] | null {
  const { 'content-length': lengths, 'transfer-encoding': codings } = named;
  if (codings.length > 0) {
    const isPlain = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
    return isPlain && lengths.length === 0 && httpVersion === '1.1' ? 'chunked' : null;
  }
  if (lengths.length === 0) return 'none';
  return lengths.length === 1 && /^\d{1,15}$/.test(lengths[0] ?? '') ? 'length' : null;
}

/** Null: not a supported request target, or one of another host. */
function originForm(url: string, hostname: string, method: string): string | null {
  if (/[^\x21-\x7e\x80-\xff]|#/.test(url)) return null;
  if (url.startsWith('/')) return url;
  if (url === '*') return method === 'OPTIONS' ? url : null;
  const [, authority, rest = ''] = /^https?:\/\/([^/?]+)(.*)$/i.exec(url) ?? [];
  if (authority === undefined || hostnameOf(authority) !== hostname) return null;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
