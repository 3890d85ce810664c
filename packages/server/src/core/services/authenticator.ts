// Who is behind a session token. Both the api and the agent ask; each remembers the answer briefly.
import type { Caller } from '../domain/access.ts';
import type { Clock } from '../lib/clock.ts';
import { sha256 } from '../lib/ids.ts';
import type { AccountStore } from '../store/accounts.ts';

const day = 24 * 60 * 60 * 1000;
/** A session that is used lasts this much longer … */
export const sessionSlidingMs = 30 * day;
/** … but never longer than this in all. */
const sessionMaxMs = 90 * day;
/** How long an answer is remembered; bounds how late a revocation by another process is noticed. */
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

  /** The caller behind a token, or null. A session removed by another process is noticed within 5
   * s. */
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

  /** Whether the caller's session still stands; long streams ask again and again. */
  async stillValid(caller: Caller): Promise<boolean> {
    const user = await this.#deps.accounts.findUser({ id: caller.userId });
    if (!user || user.suspended) return false;
    return this.#deps.accounts.hasSession(caller.sessionId, this.#deps.clock.now());
  }

  /** Drops what is remembered about this user: the store is asked at its next request. */
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
      // On a full disk, or while another process holds the database, callers can still read; the
      // next request writes it down.
      void accounts.touchSession(session.id, now, expiresAt).catch(() => {});
    }
    return { userId: user.id, sessionId: session.id, role: user.role };
  }

  #remember(hash: string, caller: Caller, now: number): void {
    if (this.#callers.size >= cacheSize) this.#callers.clear();
    this.#callers.set(hash, { caller, until: now + cacheMs });
  }
}
