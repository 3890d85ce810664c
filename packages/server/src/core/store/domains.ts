// The table `domains`: claims of hostnames for apps; at most one per hostname is verified.
import { sql } from 'kysely';
import type { Domain, Verdict } from '../domain/hostname.ts';
import type { Database } from './database.ts';
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';

export class DomainStore extends Store {
  readonly #verified: (hostname: string) => Promise<{ id: string; tls_asked_at: number | null }[]>;

  constructor(database: Database) {
    super(database);
    this.#verified = database.prepare((db) => selectVerified(db, ''));
  }

  /** The verified claim of a hostname, or null; a single index lookup. */
  async verified(hostname: string): Promise<{ id: string; isTlsAsked: boolean } | null> {
    const [row] = await this.#verified(hostname);
    return row ? { id: row.id, isTlsAsked: row.tls_asked_at !== null } : null;
  }

  async find(id: string): Promise<Domain | null> {
    const row = await this.#select().where('id', '=', id).executeTakeFirst();
    return row ? fromColumns(row) : null;
  }

  /** The domains of an app, newest first. */
  async ofApp(appId: string): Promise<Domain[]> {
    const rows = await this.#select().where('app_id', '=', appId).orderBy('created_at', 'desc').orderBy('id').execute();
    return rows.map(fromColumns);
  }

  /** Verified domains last checked before `before` (ms), oldest check first. */
  async unchecked(before: number, limit: number): Promise<Domain[]> {
    const rows = await this.#select()
      .where('status', '=', sql.lit('verified' as const))
      .where('checked_at', '<', before)
      .orderBy('checked_at')
      .limit(limit)
      .execute();
    return rows.map(fromColumns);
  }

  async insert(domain: Domain): Promise<void> {
    await this.db.insertInto('domains').values(toColumns(domain)).execute();
  }

  /** Records the result of a DNS check. */
  async record(id: string, { status, fault, verifiedAt }: Verdict, now: number): Promise<void> {
    await this.db
      .updateTable('domains')
      .set({ status, fault, verified_at: verifiedAt, checked_at: now })
      .where('id', '=', id)
      .execute();
  }

  async noteTlsAsked(id: string, now: number): Promise<void> {
    await this.db.updateTable('domains').set({ tls_asked_at: now }).where('id', '=', id).execute();
  }

  async remove(id: string): Promise<void> {
    await this.db.deleteFrom('domains').where('id', '=', id).execute();
  }

  #select() {
    return this.db.selectFrom('domains').selectAll();
  }
}

/** A literal status lets SQLite use the partial index of verified domains. */
export function selectVerified(db: Database['db'], hostname: string) {
  return db
    .selectFrom('domains')
    .select(['id', 'tls_asked_at'])
    .where('hostname', '=', hostname)
    .where('status', '=', sql.lit('verified' as const));
}
