// The table `idempotency_keys`: requests with an Idempotency-Key, and their answers.
import { Store } from './store.ts';

/** Maximum keys per account; the oldest are deleted first. */
const maxPerUser = 10_000;

export interface RequestId {
  userId: string;
  keyHash: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** `answer` is null while the request runs, or when a crash interrupted it. */
interface KeptRequest {
  fingerprint: string;
  answer: Answer | null;
}

export class IdempotencyKeys extends Store {
  /** Null when the key was free and is now claimed. Rows older than `oldest` count as free. */
  claim(id: RequestId, fingerprint: string, { now, oldest }: { now: number; oldest: number }) {
    return this.database.transaction(async (): Promise<KeptRequest | null> => {
      const { db } = this;
      const row = await this.#row(id);
      if (row && row.created_at > oldest) return { fingerprint: row.fingerprint, answer: answerOf(row) };
      await this.release(id);
      await db
        .insertInto('idempotency_keys')
        .values({ user_id: id.userId, key_hash: id.keyHash, fingerprint, created_at: now })
        .execute();
      await db
        .deleteFrom('idempotency_keys')
        .where('user_id', '=', id.userId)
        .where('created_at', '<', (select) =>
          select
            .selectFrom('idempotency_keys')
            .select('created_at')
            .where('user_id', '=', id.userId)
            .orderBy('created_at', 'desc')
            .offset(maxPerUser - 1)
            .limit(1),
        )
        .execute();
      return null;
    });
  }

  async save({ userId, keyHash }: RequestId, { status, headers, body }: Answer): Promise<void> {
    await this.db
      .updateTable('idempotency_keys')
      .set({ status, headers: JSON.stringify(headers), body })
      .where('user_id', '=', userId)
      .where('key_hash', '=', keyHash)
      .execute();
  }

  async release({ userId, keyHash }: RequestId): Promise<void> {
    await this.db
      .deleteFrom('idempotency_keys')
      .where('user_id', '=', userId)
      .where('key_hash', '=', keyHash)
      .execute();
  }

  async prune(oldest: number): Promise<void> {
    await this.db.deleteFrom('idempotency_keys').where('created_at', '<=', oldest).execute();
  }

  #row({ userId, keyHash }: RequestId) {
    return this.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('user_id', '=', userId)
      .where('key_hash', '=', keyHash)
      .executeTakeFirst();
  }
}

function answerOf(row: { status: number | null; headers: string | null; body: string | null }): Answer | null {
  if (row.status === null) return null;
  return { status: row.status, headers: JSON.parse(row.headers ?? '{}'), body: row.body ?? '' };
}
