// The session of a browser as a cookie, which no script can read and no page of another origin can
// use. Without @fastify/cookie, which decodes values and writes the attributes in another order.
import type { FastifyRequest } from 'fastify';
import { fail } from '../domain/errors.ts';

const name = 'botel_session';
/** Browsers take it from the host itself only, by https: no other host of the domain can plant
 * one. */
const hostName = `__Host-${name}`;
/** Sessions end earlier than that; the server says when. */
const longestSeconds = 90 * 24 * 60 * 60;
const reading = new Set(['GET', 'HEAD']);

export class SessionCookies {
  readonly #publicUrl: string;

  /** `publicUrl`: the address under which users reach Botel; '' = not known. */
  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl;
  }

  /** The token in the request's cookie, or null. Over https only the cookie counts that was set
   * over https. */
  tokenOf({ headers }: FastifyRequest): string | null {
    const cookies = parse(headers.cookie);
    const isHttps = this.#publicUrl === `https://${headers.host}`;
    return cookies.get(hostName) ?? (isHttps ? null : cookies.get(name)) ?? null;
  }

  /**
   * Fails with 403 unless the request comes from a page of Botel's own. Reading may also come from
   * nowhere: browsers name no origin when a page reads from its own, or somebody follows a link.
   */
  requireOwnPage(request: FastifyRequest): void {
    if (reading.has(request.method) && request.headers.origin === undefined) return;
    if (!this.#isOwnPage(request)) throw fail.originNotAllowed();
  }

  /** The header that gives the session to the browser. */
  open(request: FastifyRequest, token: string): Record<string, string> {
    return { 'Set-Cookie': cookie(request, token, longestSeconds) };
  }

  /** The header that takes it away again; nothing where there was none. */
  close(request: FastifyRequest): Record<string, string> {
    return this.tokenOf(request) === null ? {} : { 'Set-Cookie': cookie(request, '', 0) };
  }

  /** Pages say where they come from with every request that writes; the address is the one that
   * they were sent to. */
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
    // The first one is of the longest path: what comes after it is older or wider.
    if (!cookies.has(key)) cookies.set(key, value);
  }
  return cookies;
}
