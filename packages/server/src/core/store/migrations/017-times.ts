// How long answers of apps took, as counts by length, and requests over their limits. Minutes of before have no lengths, and all of
// their requests are in their sum of times. Must never be edited once released: add a migration instead.
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
