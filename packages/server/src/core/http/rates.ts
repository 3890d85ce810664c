// Rate limits: per account, per bot for lifecycle calls, per address otherwise.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type BotelError, fail } from '../domain/errors.ts';
import { addressKey } from '../lib/address-key.ts';
import type { Clock } from '../lib/clock.ts';
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts';
import { isFromHere } from './from-here.ts';

/** All per minute. */
export interface RateLimits {
  user: number;
  lifecycle: number;
  signIn: number;
  public: number;
}

/**
 * `lifecycle` counts by the bot in the body, `sign_in` and public routes by address; `machine` is
 * public, with a higher limit for requests from this machine.
 */
export type RateKind = 'lifecycle' | 'sign_in' | 'machine';

/** Per minute: a restarting proxy may ask for all of its names at once. */
const machineLimit = 12_000;

export class Rates {
  readonly #user: RateLimiter;
  readonly #lifecycle: RateLimiter;
  readonly #signIn: RateLimiter;
  readonly #public: RateLimiter;
  readonly #machine: RateLimiter;

  constructor(limits: RateLimits, clock: Clock) {
    this.#user = new RateLimiter(limits.user, clock);
    this.#lifecycle = new RateLimiter(limits.lifecycle, clock);
    this.#signIn = new RateLimiter(limits.signIn, clock);
    this.#public = new RateLimiter(limits.public, clock);
    this.#machine = new RateLimiter(machineLimit, clock);
  }

  /** Counts a request without a caller; returns the error to answer, if any. */
  takeAddress(request: FastifyRequest, reply: FastifyReply, kind?: RateKind): BotelError | undefined {
    if (kind === 'machine' && isFromHere(request.raw)) return report(reply, this.#machine.take(''));
    const limiter = kind === 'sign_in' ? this.#signIn : this.#public;
    return report(reply, limiter.take(addressKey(request.address)));
  }

  /** Counts invalid requests, which are answered all the same, with these headers. */
  takeBroken(address: string): [string, string][] {
    return headersOf(this.#public.take(addressKey(address)));
  }

  takeUser(reply: FastifyReply, userId: string): BotelError | undefined {
    return report(reply, this.#user.take(userId));
  }

  /** Counts per caller and bot: no user can exhaust the limit of another's bot. */
  takeLifecycle(reply: FastifyReply, userId: string, botId: string): BotelError | undefined {
    return report(reply, this.#lifecycle.take(`${userId} ${botId.toLowerCase()}`));
  }
}

/** When several limits apply, the answer reports the last one. */
function report(reply: FastifyReply, rate: Rate): BotelError | undefined {
  for (const [name, value] of headersOf(rate)) reply.header(name, value);
  return rate.isAllowed ? undefined : fail.rateLimited(rate.retrySeconds);
}

function headersOf(rate: Rate): [string, string][] {
  return [
    ['ratelimit-limit', String(rate.limit)],
    ['ratelimit-remaining', String(rate.remaining)],
    ['ratelimit-reset', String(rate.resetSeconds)],
  ];
}
