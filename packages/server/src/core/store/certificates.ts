// The table `certificates`: hostnames that a certificate was approved for, and when first.
import { countOf, Store } from './store.ts';

/** `isAppName`: below the apps domain, which all owners share. `approvedAt` in ms. */
export interface Certificate {
  hostname: string;
  ownerId: string;
  isAppName: boolean;
  approvedAt: number;
}

export class CertificateStore extends Store {
  async has(hostname: string): Promise<boolean> {
    const row = await this.db
      .selectFrom('certificates')
      .select('hostname')
      .where('hostname', '=', hostname)
      .executeTakeFirst();
    return row !== undefined;
  }

  async insert({ hostname, ownerId, isAppName, approvedAt }: Certificate): Promise<void> {
    await this.db
      .insertInto('certificates')
      .values({ hostname, owner_id: ownerId, is_app_name: isAppName ? 1 : 0, approved_at: approvedAt })
      .execute();
  }

  /** First approvals after `since` (ms) for an owner. */
  async countOfOwner(ownerId: string, since: number): Promise<number> {
    return countOf(this.db.selectFrom('certificates').where('approved_at', '>', since).where('owner_id', '=', ownerId));
  }

  /** First approvals after `since` (ms) for names below the apps domain. */
  async countOfAppNames(since: number): Promise<number> {
    return countOf(this.db.selectFrom('certificates').where('approved_at', '>', since).where('is_app_name', '=', 1));
  }

  async prune(before: number): Promise<void> {
    await this.db.deleteFrom('certificates').where('approved_at', '<=', before).execute();
  }
}
