// Resolves session tokens to callers, for both api and agent; each caches the result briefly.
import type { Caller } from '../domain/access.ts';
import type { Clock } from '../lib/clock.ts';
import { sha256 } from '../lib/ids.ts';
import type { AccountStore } from '../store/accounts.ts';

const day = 24 * 60 * 60 * 1000;
/** Use extends a session by this much … */
export const sessionSlidingMs = 30 * day;
/** … up to this total lifetime. */
const sessionMaxMs = 90 * day;
/** How long a result is cached; bounds how late a revocation by another process takes effect. */
const cacheMs = 5_000;
const cacheSize = 10_000;
const touchEveryMs = 60_000;

interface Deps {
  accounts: Pick<AccountStore, 'findSession' | 'findUser' | 'hasSession' | 'touchSession'>;
  clock: Clock;
}

export class Authenticator {
  readonly #deps: Deps;
  readonly #callers = new Map<string, { caller: Caller; until: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The caller of a token, or null. Revocations by another process take effect within 5 s. */
  async callerOf(token: string): Promise<Caller | null> {
    const hash = sha256(token);
    const now = this.#deps.clock.now();
    const cached = this.#callers.get(hash);
    if (cached && cached.until > now) return cached.caller;
    this.#callers.delete(hash);
    const caller = await this.#findCaller(hash, now);
    if (caller) this.#remember(hash, caller, now);
    return caller;
  }

  /** Whether the caller's session is still valid; long streams check repeatedly. */
  async stillValid(caller: Caller): Promise<boolean> {
    const user = await this.#deps.accounts.findUser({ id: caller.userId });
    if (!user || user.suspended) return false;
    return this.#deps.accounts.hasSession(caller.sessionId, this.#deps.clock.now());
  }

  /** Drops the user's cached results: its next request queries the store. */
  forget(userId: string): void {
    for (const [hash, { caller }] of this.#callers) if (caller.userId === userId) this.#callers.delete(hash);
  }

  async #findCaller(hash: string, now: number): Promise<Caller | null> {
    const { accounts } = this.#deps;
    const session = await accounts.findSession(hash);
    if (!session || session.expiresAt <= now) return null;
    const user = await accounts.findUser({ id: session.userId });
    if (!user || user.suspended) return null;
    if (now - session.lastUsedAt >= touchEveryMs) {
      const expiresAt = Math.min(now + sessionSlidingMs, session.createdAt + sessionMaxMs);
      // Best effort: callers can still read while the disk is full or the database busy.
      void accounts.touchSession(session.id, now, expiresAt).catch(() => {});
    }
    return { userId: user.id, sessionId: session.id, role: user.role };
  }

  #remember(hash: string, caller: Caller, now: number): void {
    if (this.#callers.size >= cacheSize) this.#callers.clear();
    this.#callers.set(hash, { caller, until: now + cacheMs });
  }
}
