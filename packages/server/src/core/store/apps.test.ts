// Apps on a real database: names and their holders, and that the public check only reads an index.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { type App, nameHeldMs, namesHeldMax } from '../domain/app.ts';
import { AppStore, selectHolders } from './apps.ts';
import { Database } from './database.ts';
import { insertOwner } from '../../../test/support/sample-owner.ts';

const root = mkdtempSync(join(tmpdir(), 'botel-apps-'));
const database = await Database.open(root, 'OFF');
const apps = new AppStore(database);
await insertOwner(database);
await sql`pragma foreign_keys = off`.execute(database.db);
after(async () => {
  await database.close();
  rmSync(root, { recursive: true });
});

let made = 0;

async function insert(name: string): Promise<App> {
  const id = `app-${++made}`;
  const app = { id, ownerId: 'owner', botId: `bot-${made}`, name, port: null, healthPath: null, createdAt: made };
  await apps.insert(app);
  return app;
}

test('a name is in use, then kept for its last owner for 30 days, then free', async () => {
  const app = await insert('first');
  assert.deepEqual(await apps.holderOf('first', 0), { ownerId: 'owner', inUse: true });
  await apps.free(app, 1000);
  assert.equal(await apps.find(app.id), null);
  assert.deepEqual(await apps.holderOf('first', 1000 + nameHeldMs - 1), { ownerId: 'owner', inUse: false });
  assert.equal(await apps.holderOf('first', 1000 + nameHeldMs), null);
  await apps.prune(1000 + nameHeldMs - 1);
  assert.notEqual(await apps.holderOf('first', 1000), null);
  await apps.prune(1000 + nameHeldMs);
  assert.equal(await apps.holderOf('first', 1000), null);
});

test('a new name leaves the old one kept; taking it again ends that', async () => {
  const app = await insert('before');
  await apps.update(app, { name: 'later', port: 80 }, 5);
  assert.deepEqual(await apps.find(app.id), { ...app, name: 'later', port: 80 });
  assert.deepEqual(await apps.holderOf('before', 6), { ownerId: 'owner', inUse: false });
  await apps.update({ ...app, name: 'later', port: 80 }, { name: 'before', port: null }, 7);
  assert.deepEqual(await apps.holderOf('before', 8), { ownerId: 'owner', inUse: true });
  assert.deepEqual(await apps.ofBot(app.botId), app);
});

test('the table refuses a second app of a name and of a bot', async () => {
  const app = await insert('unique');
  await assert.rejects(insert('unique'), /UNIQUE/);
  await assert.rejects(apps.insert({ ...app, id: 'other', name: 'another' }), /UNIQUE/);
});

test('of very many names that were given up the oldest are free', async () => {
  for (let i = 0; i <= namesHeldMax; i++) await apps.free(await insert(`many-${i}`), 1_000_000 + i);
  assert.equal(await apps.holderOf('many-0', 1_000_000), null);
  assert.notEqual(await apps.holderOf('many-1', 1_000_000), null);
});

test('the check of a name is one search of an index, which holds all that it looks at', async () => {
  const { sql: text } = selectHolders(database.db, 'some-name').compile();
  const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(text.replace('?', "''"))}`.execute(
    database.db,
  );
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    ['SEARCH apps USING COVERING INDEX apps_held_name (name=?)'],
  );
});
