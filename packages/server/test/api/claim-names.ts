// A process that claims names of apps on a database which another one uses too: `claim-names.ts
// <folder> <owner> <bot>…`, a name per bot. Prints which of them it got, as JSON.
import { AppStore } from '../../src/core/store/apps.ts';
import { Database } from '../../src/core/store/database.ts';

const [folder = '', ownerId = '', ...bots] = process.argv.slice(2);
const database = await Database.open(folder);
const apps = new AppStore(database);
const got: string[] = [];
for (const [n, botId] of bots.entries()) {
  const name = `raced-${n}`;
  await database.transaction(async () => {
    if (await apps.holderOf(name, Date.now())) return;
    const id = crypto.randomUUID();
    await apps.insert({ id, ownerId, botId, name, port: null, healthPath: null, createdAt: Date.now() });
    got.push(name);
  });
}
await database.close();
console.log(JSON.stringify(got));
