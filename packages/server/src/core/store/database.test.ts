// Transactions, commit hooks, file permissions, and unusable databases.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { Database } from './database.ts';

const root = mkdtempSync(join(tmpdir(), 'botel-store-'));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

function freshDirectory(): string {
  return join(root, String(count++));
}

async function keys(database: Database): Promise<string[]> {
  return (await database.db.selectFrom('settings').select('key').orderBy('key').execute()).map((row) => row.key);
}

test('a transaction commits as a whole and fires its hooks afterwards', async () => {
  const database = await Database.open(freshDirectory());
  const fired: string[] = [];
  await database.transaction(async () => {
    await database.db.insertInto('settings').values({ key: 'a', value: '1' }).execute();
    await database.transaction(async () => {
      database.onCommit(() => fired.push('inner'));
      await database.db.insertInto('settings').values({ key: 'b', value: '1' }).execute();
    });
    assert.deepEqual(fired, []);
  });
  assert.deepEqual([fired, await keys(database)], [['inner'], ['a', 'b']]);
  await database.close();
});

test('a failed transaction leaves nothing and fires nothing', async () => {
  const database = await Database.open(freshDirectory());
  const failing = database.transaction(async () => {
    await database.db.insertInto('settings').values({ key: 'a', value: '1' }).execute();
    database.onCommit(() => assert.fail('fired'));
    throw new Error('no');
  });
  await assert.rejects(failing, /^Error: no$/);
  assert.deepEqual(await keys(database), []);
  await database.close();
});

test('a prepared query sees what its own transaction wrote; another one never sees what is not committed', async () => {
  const database = await Database.open(freshDirectory());
  const query = database.prepare((db) => db.selectFrom('settings').select('key').where('key', '=', ''));
  const read = async (key: string) => (await query(key)).map((row) => row.key);
  const written = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const rolledBack = database.transaction(async () => {
    await database.db.insertInto('settings').values({ key: 'a', value: '1' }).execute();
    assert.deepEqual(await read('a'), ['a']);
    written.resolve();
    await told.promise;
    throw new Error('rolled back');
  });
  await written.promise;
  const outside = read('a');
  told.resolve();
  await assert.rejects(rolledBack, /rolled back/);
  assert.deepEqual(await outside, []);
  await database.transaction(() => database.db.insertInto('settings').values({ key: 'b', value: '1' }).execute());
  assert.deepEqual(await read('b'), ['b']);
  await database.close();
});

test('rows of a prepared query have their columns, the last one of a name, in a transaction and outside', async () => {
  const database = await Database.open(freshDirectory());
  const insert = (key: string, value: string) => database.db.insertInto('settings').values({ key, value }).execute();
  for (const [key, value] of [
    ['a', '1'],
    ['b', '2'],
  ] as const)
    await insert(key, value);
  const query = database.prepare((db) =>
    db
      .selectFrom('settings')
      .select(['key', 'value', sql<null>`null`.as('nothing'), sql<number>`1`.as('twice'), sql<number>`2`.as('twice')])
      .where('key', '>=', '')
      .orderBy('key'),
  );
  const read = async () => (await query('')).map(({ key, value, nothing, twice }) => [key, value, nothing, twice]);
  const all = [
    ['a', '1', null, 2],
    ['b', '2', null, 2],
  ];
  assert.deepEqual(await read(), all);
  await database.transaction(async () => assert.deepEqual(await read(), all));
  assert.deepEqual(await query('c'), []);
  const [row] = await query('a');
  assert.equal('of' in (row ?? {}), false);
  await database.close();
});

test('commits are synchronous and the files are private', async () => {
  const directory = freshDirectory();
  const database = await Database.open(directory);
  await database.db.insertInto('settings').values({ key: 'a', value: '1' }).execute();
  for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
  await database.close();
});

test('a database of a newer schema is refused and left as it is', async () => {
  const directory = freshDirectory();
  await (await Database.open(directory)).close();
  const path = join(directory, 'botel.sqlite');
  const newer = new DatabaseSync(path);
  newer.exec(`insert into kysely_migration (name, timestamp) values ('999-future', '2099-01-01')`);
  newer.close();
  await assert.rejects(Database.open(directory), /written by a newer Botel \(it has 999-future\)/);
  const kept = new DatabaseSync(path);
  assert.deepEqual(
    { ...kept.prepare("select count(*) as n from kysely_migration where name = '999-future'").get() },
    { n: 1 },
  );
  kept.close();
});

test('a file that is no database is refused and left as it is', async () => {
  const directory = freshDirectory();
  await (await Database.open(directory)).close();
  const path = join(directory, 'botel.sqlite');
  writeFileSync(path, 'this is no database, but it is long enough to have a header of its own, is it not?'.repeat(20));
  await assert.rejects(Database.open(directory), /not a database/);
  assert.ok(statSync(path).size > 1000);
});
