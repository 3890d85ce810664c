// Histogram of apps' response times, and rejected requests. Older minutes have no histogram, and
// their sum of times covers all of their requests. Never edit it once released; add a migration.
import { type Kysely, sql } from 'kysely';

const bounds = [5, 10, 20, 40, 70, 100, 150, 250, 400, 700, 1000, 2000, 4000, 10_000, 30_000, 'more'];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['refused', 'timed', ...bounds.map((bound) => `within_${bound}`)])
    await db.schema
      .alterTable('app_minutes')
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  await sql`update app_minutes set timed = requests`.execute(db);
}
