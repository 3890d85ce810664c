// Answers a login with a token, or with a cookie when a page requests one.
import type { CookieLoginData, LoginData } from '@botel/contract/accounts';
import type { FastifyRequest } from 'fastify';
import type { Login } from '../services/accounts.ts';
import { isoTime } from '../../core/http/present.ts';
import { presentUser } from './present-account.ts';
import type { SessionCookies } from '../../core/http/session-cookies.ts';

interface SignInInput {
  body: { cookie?: boolean };
  request: FastifyRequest;
  cookies: SessionCookies;
}

interface SignInAnswer {
  data: LoginData | CookieLoginData;
  headers?: Record<string, string>;
}

/** Fails with 403 when a page of another origin requests a cookie. */
export async function signIn(
  { body, request, cookies }: SignInInput,
  login: () => Promise<Login>,
): Promise<SignInAnswer> {
  if (body.cookie) cookies.requireOwnPage(request);
  const made = await login();
  const data = { expires_at: isoTime(made.expiresAt), user: presentUser(made) };
  if (!body.cookie) return { data: { token: made.token, ...data } };
  return { data, headers: cookies.open(request, made.token) };
}
