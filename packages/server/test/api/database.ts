// The database of a running fixture, opened a second time: for rows that no call of the API can
// make.
import { Database } from '../../src/core/store/database.ts';
import type { Fixture } from '../support/fixture.ts';

/** Runs `work` on the server's database. */
export async function inDatabase<T>(
  fixture: Pick<Fixture, 'directory'>,
  work: (db: Database['db']) => Promise<T>,
): Promise<T> {
  const database = await Database.open(fixture.directory);
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}
