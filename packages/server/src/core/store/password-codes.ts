// The table `password_codes`: codes for a new password, by their SHA-256.
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';

/** `expiresAt` is ms since the epoch. */
export interface PasswordCode {
  userId: string;
  codeHash: string;
  expiresAt: number;
}

export class PasswordCodes extends Store {
  /** Replaces the account's previous code. */
  async save(code: PasswordCode): Promise<void> {
    const row = toColumns(code);
    await this.db
      .insertInto('password_codes')
      .values(row)
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
      .execute();
  }

  async find(codeHash: string): Promise<PasswordCode | null> {
    const row = await this.db
      .selectFrom('password_codes')
      .selectAll()
      .where('code_hash', '=', codeHash)
      .executeTakeFirst();
    return row ? fromColumns(row) : null;
  }

  async removeOf(userId: string): Promise<void> {
    await this.db.deleteFrom('password_codes').where('user_id', '=', userId).execute();
  }

  async removeExpired(now: number): Promise<void> {
    await this.db.deleteFrom('password_codes').where('expires_at', '<=', now).execute();
  }
}
