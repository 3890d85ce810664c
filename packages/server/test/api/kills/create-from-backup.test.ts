// kill -9 of the server while a bot is made of a backup: afterwards there is the whole bot or none,
// and nothing else.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BackupData } from '@botel/contract/backups';
import type { CreatedBotData } from '@botel/contract/bots';
import { goodBot } from '../../support/fixture.ts';
import { until } from '../../support/until.ts';
import {
  anyOf,
  fingerprint,
  type KillableServer,
  killDuring,
  type Moment,
  makeTree,
  momentsOver,
  namesIn,
  startKillable,
} from './killable-server.ts';

const environment = { SIDE: 'day' };

let server: KillableServer;
let botId = '';
let backup: BackupData;
let tree = '';

before(async () => {
  server = await startKillable();
  ({ id: botId } = await server.client.createBot({ ...goodBot, environment }));
  await server.client.writeFile(botId, 'index.js', '');
  makeTree(join(homes(), botId), 'day');
  tree = fingerprint(join(homes(), botId));
  backup = (await server.client.call<BackupData>('POST', `/bots/${botId}/backups`, { name: 'day' })).data;
});

after(() => server?.[Symbol.asyncDispose]());

const homes = () => join(server.directory, 'homes');
const restoring = () => join(server.directory, 'restoring');

async function copy(): Promise<string> {
  const body = { backup_id: backup.id, name: 'copy' };
  return (await server.client.call<CreatedBotData>('POST', '/bots/create-from-backup', body)).data.id;
}

/** Every bot that is shown is whole, every home is of one, and no room is held for others; resolves
 * to the copies, which are deleted. */
async function check(what: string): Promise<string[]> {
  const ids = (await server.client.bots()).map(({ id }) => id);
  assert.deepEqual(namesIn(homes()).toSorted(), ids.toSorted(), what);
  assert.deepEqual(namesIn(restoring()), [], what);
  assert.equal((await server.client.usage()).bots.used, ids.length, what);
  for (const id of ids) {
    assert.equal(fingerprint(join(homes(), id)), tree, what);
    const { data } = await server.client.call<{ environment: object }>('GET', `/bots/${id}/env`);
    assert.deepEqual(data.environment, environment, what);
  }
  const copies = ids.filter((id) => id !== botId);
  for (const id of copies) await server.client.deleteBot(id);
  return copies;
}

test('at any moment', async () => {
  const began = performance.now();
  await server.client.deleteBot(await copy());
  const lengthMs = performance.now() - began;
  const moments: Moment[] = [
    { what: 'when its place is made', hasCome: () => namesIn(restoring()).length > 0 },
    { what: 'when half is unpacked', hasCome: () => anyOf(restoring(), 'new', 'folder-9') },
    { what: 'when it is being decided', hasCome: () => anyOf(restoring(), 'journal.new') },
    { what: 'when it is decided', hasCome: () => anyOf(restoring(), 'journal') },
    { what: 'when its home is there', hasCome: () => namesIn(homes()).length > 1 },
    ...momentsOver(lengthMs, 3, 1),
  ];
  let cutOff = 0;
  for (const moment of moments) {
    // Those of deleted copies go a little later than the answer.
    await until(async () => namesIn(homes()).length === 1 && namesIn(server.directory, 'staging').length === 0);
    const answered = await killDuring(server, moment, copy);
    cutOff += namesIn(restoring()).length;
    await server.restart();
    const copies = await check(moment.what);
    assert.ok(copies.length <= 1, moment.what);
    if (answered) assert.deepEqual(copies, [answered], `${moment.what}: it was answered`);
  }
  assert.ok(cutOff > 0);
});
