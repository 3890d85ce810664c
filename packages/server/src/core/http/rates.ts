// How often whom may ask: callers by account, lifecycle calls by bot, everybody else by address.
// Says on each answer what is left.
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
 * What a route counts as: for `lifecycle` its body names the bot; `sign_in` and public routes go by
 * address; `machine` is public, but for what this machine itself asks.
 */
export type RateKind = 'lifecycle' | 'sign_in' | 'machine';

/** Per minute: a proxy that begins anew may ask for all its names at once. */
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

  /** A request without a caller; what is returned is to be answered. */
  takeAddress(request: FastifyRequest, reply: FastifyReply, kind?: RateKind): BotelError | undefined {
    if (kind === 'machine' && isFromHere(request.raw)) return tell(reply, this.#machine.take(''));
    const limiter = kind === 'sign_in' ? this.#signIn : this.#public;
    return tell(reply, limiter.take(addressKey(request.address)));
  }

  /** What is no request: counted, but answered all the same, with these headers. */
  takeBroken(address: string): [string, string][] {
    return headersOf(this.#public.take(addressKey(address)));
  }

  takeUser(reply: FastifyReply, userId: string): BotelError | undefined {
    return tell(reply, this.#user.take(userId));
  }

  /** Counted per caller and bot: nobody uses up what a bot of another has. */
  takeLifecycle(reply: FastifyReply, userId: string, botId: string): BotelError | undefined {
    return tell(reply, this.#lifecycle.take(`${userId} ${botId.toLowerCase()}`));
  }
}

/** Of several limits that a request falls under, the answer tells the last one. */
function tell(reply: FastifyReply, rate: Rate): BotelError | undefined {
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
