// kill -9 of the server while a schedule makes a backup: no part of it is left, its record says
// that it was cut off, and it is made once more; the one that it takes the place of is there until
// then.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import type { ScheduleData, ScheduleRunListData } from '@botel/contract/schedules';
import { goodBot } from '../../support/fixture.ts';
import { until } from '../../support/until.ts';
import { type KillableServer, killDuring, type Moment, makeTree, namesIn, startKillable } from './killable-server.ts';

let server: KillableServer;
let botId = '';
let daily: ScheduleData;

before(async () => {
  server = await startKillable();
  ({ id: botId } = await server.client.createBot(goodBot));
  await server.client.writeFile(botId, 'index.js', '');
  makeTree(join(server.directory, 'homes', botId), 'day');
  const body = { name: 'daily', cron: '0 3 * * *', action: 'backup', keep: 1 };
  daily = (await server.client.call<ScheduleData>('POST', `/bots/${botId}/schedules`, body)).data;
});

after(() => server?.[Symbol.asyncDispose]());

const folder = () => join(server.directory, 'backups', botId);
const files = (ending: string) => namesIn(folder()).filter((name) => name.endsWith(ending));

async function backups(): Promise<BackupData[]> {
  return (await server.client.call<BackupListData>('GET', `/bots/${botId}/backups`)).data.backups;
}

/** How the newest `count` runs went, once none is under way. */
function runs(count: number): Promise<(string | null)[]> {
  return until(async () => {
    const { data } = await server.client.call<ScheduleRunListData>('GET', `/schedules/${daily.id}/runs`);
    const isOver = data.runs.length >= count && data.runs.every(({ ok }) => ok !== null);
    return isOver && data.runs.slice(0, count).map(({ error }) => error);
  }, 30_000);
}

async function run(): Promise<void> {
  await server.client.call('POST', '/schedules/run', { schedule_id: daily.id });
}

test('while it is written', async () => {
  await run();
  assert.deepEqual(await runs(1), [null]);
  const [first] = await backups();
  const moment: Moment = { what: 'when it is written', hasCome: () => files('.new').length > 0 };
  await killDuring(server, moment, async () => {
    await run();
    await runs(2);
  });
  assert.equal(files('.new').length, 1);
  await server.restart();
  assert.deepEqual([files('.new'), (await backups()).map(({ id }) => id)], [[], [first?.id]]);
  assert.deepEqual(await runs(3), [null, 'Cut off by the end of Botel', null]);
  const [again, ...others] = await backups();
  assert.ok(again && again.id !== first?.id && others.length === 0);
  assert.deepEqual(namesIn(folder()), [`${again.id}.tar.gz`]);
});
