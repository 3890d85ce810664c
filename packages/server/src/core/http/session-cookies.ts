// Session cookies, out of reach for scripts and other origins. Not by @fastify/cookie, which
// decodes values and orders the attributes differently.
import type { FastifyRequest } from 'fastify';
import { fail } from '../domain/errors.ts';
import type { TrustedProxies } from '../lib/trusted-proxies.ts';

const name = 'botel_session';
/** Browsers take this prefix only from the host itself over https: no other host can plant one. */
const hostName = `__Host-${name}`;
/** Sessions expire earlier; the server decides when. */
const longestSeconds = 90 * 24 * 60 * 60;
const reading = new Set(['GET', 'HEAD']);

export class SessionCookies {
  readonly #publicUrl: string;
  readonly #proxies: Pick<TrustedProxies, 'saysHttps'>;

  /** `publicUrl`: the URL under which users reach Botel; '' = unknown. */
  constructor(publicUrl: string, proxies: Pick<TrustedProxies, 'saysHttps'>) {
    this.#publicUrl = publicUrl;
    this.#proxies = proxies;
  }

  /** Null without one. Over https, only a cookie set over https counts. */
  tokenOf({ raw, headers }: FastifyRequest): string | null {
    const cookies = parse(headers.cookie);
    const isHttps = this.#publicUrl === `https://${headers.host}` || this.#proxies.saysHttps(raw);
    return cookies.get(hostName) ?? (isHttps ? null : cookies.get(name)) ?? null;
  }

  /**
   * Fails with 403 unless the request comes from one of Botel's own pages. Browsers name no origin
   * for same-origin reads and followed links.
   */
  requireOwnPage(request: FastifyRequest): void {
    if (reading.has(request.method) && request.headers.origin === undefined) return;
    if (!this.#isOwnPage(request)) throw fail.originNotAllowed();
  }

  /** The header that sets the session cookie. */
  open(request: FastifyRequest, token: string): Record<string, string> {
    return { 'Set-Cookie': cookie(request, token, longestSeconds) };
  }

  /** The header that deletes the cookie; empty when there was none. */
  close(request: FastifyRequest): Record<string, string> {
    return this.tokenOf(request) === null ? {} : { 'Set-Cookie': cookie(request, '', 0) };
  }

  /** Compares the origin, which pages send with every write, with the host that was addressed. */
  #isOwnPage({ headers: { origin, host } }: FastifyRequest): boolean {
    if (!origin) return false;
    return origin === this.#publicUrl || origin === `http://${host}` || origin === `https://${host}`;
  }
}

function cookie({ headers }: FastifyRequest, token: string, seconds: number): string {
  const isSecure = headers.origin?.startsWith('https://');
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return isSecure ? `${hostName}=${token}; ${attributes}; Secure` : `${name}=${token}; ${attributes}`;
}

function parse(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header?.split(';') ?? []) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    // The first one has the longest path; later ones of its name are older or less specific.
    if (!cookies.has(key)) cookies.set(key, value);
  }
  return cookies;
}
