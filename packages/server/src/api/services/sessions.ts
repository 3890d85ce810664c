// The caller's sessions and password.
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { AccountStore, Session } from '../../core/store/accounts.ts';
import type { Database } from '../../core/store/database.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';
import type { AccountsService, Client } from './accounts.ts';
import { hashPassword } from './password.ts';

const maxShown = 100;

/** A session as shown to its owner. Times are ms since the epoch. */
export type SessionView = Omit<Session, 'tokenHash' | 'userId'>;

interface Deps {
  database: Database;
  store: AccountStore;
  accounts: AccountsService;
  authenticator: Pick<Authenticator, 'forget' | 'stillValid'>;
  clock: Clock;
}

export class SessionsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The most recently used sessions; `count` covers all that have not expired. */
  async list(caller: Caller): Promise<{ sessions: SessionView[]; count: number }> {
    const all = await this.#deps.store.listSessions(caller.userId, this.#deps.clock.now());
    return { sessions: all.slice(0, maxShown), count: all.length };
  }

  async revoke(caller: Caller, sessionId: string): Promise<void> {
    const { store, authenticator, clock } = this.#deps;
    const own = await store.listSessions(caller.userId, clock.now());
    if (!own.some(({ id }) => id === sessionId)) throw fail.sessionNotFound();
    await store.removeSession(sessionId);
    authenticator.forget(caller.userId);
  }

  /** Ends all sessions except the caller's. */
  async revokeOthers(caller: Caller): Promise<void> {
    await this.#deps.store.removeOtherSessions(caller.userId, caller.sessionId);
    this.#deps.authenticator.forget(caller.userId);
  }

  /** Requires the current password and session, also at the end; ends all other sessions. */
  async changePassword(caller: Caller, change: { current: string; next: string }, client: Client): Promise<void> {
    const { database, store, accounts, authenticator } = this.#deps;
    const user = await accounts.requirePassword(caller, change.current, client);
    const passwordHash = await hashPassword(change.next);
    await database.transaction(async () => {
      if (!(await authenticator.stillValid(caller))) throw fail.unauthorized();
      await accounts.requireUnchanged(user);
      await store.setPassword(caller.userId, passwordHash);
      await store.removeOtherSessions(caller.userId, caller.sessionId);
    });
    authenticator.forget(caller.userId);
  }
}
