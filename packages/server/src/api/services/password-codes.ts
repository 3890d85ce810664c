// Single-use codes for setting a new password without the old one; admins create them.
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { secretToken, sha256 } from '../../core/lib/ids.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { Database } from '../../core/store/database.ts';
import type { PasswordCodes } from '../../core/store/password-codes.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';
import { hashPassword } from './password.ts';
import type { UserView, UsersService } from './users.ts';

const goodForMs = 24 * 60 * 60 * 1000;

interface Deps {
  database: Database;
  store: Pick<AccountStore, 'setPassword' | 'removeOtherSessions'>;
  codes: PasswordCodes;
  authenticator: Pick<Authenticator, 'forget'>;
  users: Pick<UsersService, 'change'>;
  clock: Clock;
}

/** Times are ms since the epoch. */
export interface NewCode {
  view: UserView;
  code: string;
  expiresAt: number;
}

export class PasswordCodesService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Replaces the account's previous code; password and sessions remain until it is used. */
  async make(caller: Caller, userId: string): Promise<NewCode> {
    const { users, codes, clock } = this.#deps;
    const code = secretToken();
    const expiresAt = clock.now() + goodForMs;
    const view = await users.change(caller, userId, (user) =>
      codes.save({ userId: user.id, codeHash: sha256(code), expiresAt }),
    );
    return { view, code, expiresAt };
  }

  /** Sets the password and ends all sessions of the account. */
  async use(code: string, password: string): Promise<void> {
    const { database, store, codes, authenticator, clock } = this.#deps;
    // Hashed in advance, so that nothing waits inside the transaction.
    const passwordHash = await hashPassword(password);
    const userId = await database.transaction(async () => {
      const found = await codes.find(sha256(code));
      if (!found || found.expiresAt <= clock.now()) throw fail.inviteInvalid();
      await codes.removeOf(found.userId);
      await store.setPassword(found.userId, passwordHash);
      await store.removeOtherSessions(found.userId, null);
      return found.userId;
    });
    authenticator.forget(userId);
  }
}
