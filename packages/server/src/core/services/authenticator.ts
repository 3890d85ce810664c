// Resolves session tokens to callers, for both api and agent; each caches the result briefly.
import type { Caller } from '../domain/access.ts';
import type { Clock } from '../lib/clock.ts';
import { sha256 } from '../lib/ids.ts';
import type { AccountStore, Session } from '../store/accounts.ts';

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
  accounts: Pick<AccountStore, 'findSession' | 'findUser' | 'touchSession'>;
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
    const session = await this.#deps.accounts.findSession({ tokenHash: hash });
    const caller = await this.#callerIn(session, now);
    if (session && caller) {
      this.#touch(session, now);
      this.#remember(hash, caller, now);
    }
    return caller;
  }

  /** The caller of a session, or null once it has ended. Not cached; does not prolong it. */
  async callerOfSession(sessionId: string): Promise<Caller | null> {
    return this.#callerIn(await this.#deps.accounts.findSession({ id: sessionId }), this.#deps.clock.now());
  }

  /** Whether the caller's session is still valid; long streams check repeatedly. */
  async stillValid(caller: Caller): Promise<boolean> {
    return (await this.callerOfSession(caller.sessionId)) !== null;
  }

  /** Drops the user's cached results: its next request queries the store. */
  forget(userId: string): void {
    for (const [hash, { caller }] of this.#callers) if (caller.userId === userId) this.#callers.delete(hash);
  }

  async #callerIn(session: Session | null, now: number): Promise<Caller | null> {
    if (!session || session.expiresAt <= now) return null;
    const user = await this.#deps.accounts.findUser({ id: session.userId });
    if (!user || user.suspended) return null;
    return { userId: user.id, sessionId: session.id, role: user.role };
  }

  #touch({ id, lastUsedAt, createdAt }: Session, now: number): void {
    if (now - lastUsedAt < touchEveryMs) return;
    const expiresAt = Math.min(now + sessionSlidingMs, createdAt + sessionMaxMs);
    // Best effort: callers can still read while the disk is full or the database busy.
    void this.#deps.accounts.touchSession(id, now, expiresAt).catch(() => {});
  }

  #remember(hash: string, caller: Caller, now: number): void {
    if (this.#callers.size >= cacheSize) this.#callers.clear();
    this.#callers.set(hash, { caller, until: now + cacheMs });
  }
}
