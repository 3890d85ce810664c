// kill -9 of the server in the middle of a backup: only whole backups are shown, what was answered
// is among them, and there is no other file; the files of the bot, which runs, are as they were.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import { goodBot } from '../../support/fixture.ts';
import { until } from '../../support/until.ts';
import {
  fingerprint,
  type KillableServer,
  killDuring,
  type Moment,
  makeTree,
  momentsOver,
  namesIn,
  startKillable,
} from './killable-server.ts';

let server: KillableServer;
let botId = '';
let tree = '';

before(async () => {
  server = await startKillable();
  ({ id: botId } = await server.client.createBot(goodBot));
  await server.client.writeFile(botId, 'index.js', '');
  makeTree(home(), 'one');
  tree = fingerprint(home());
  await bringUp();
});

after(() => server?.[Symbol.asyncDispose]());

const home = () => join(server.directory, 'homes', botId);
const folder = () => join(server.directory, 'backups', botId);

/** The fake machine's containers go with the process that they are in: the bot is started again. */
async function bringUp(): Promise<void> {
  await server.client.lifecycle('restart', botId);
  await until(async () => (await server.client.bot(botId)).status === 'online');
}

async function backUp(name: string): Promise<BackupData> {
  return (await server.client.call<BackupData>('POST', `/bots/${botId}/backups`, { name })).data;
}

async function backups(): Promise<BackupData[]> {
  return (await server.client.call<BackupListData>('GET', `/bots/${botId}/backups`)).data.backups;
}

/** What is being written has so many bytes. */
function isWritten(bytes: number): boolean {
  const name = namesIn(folder()).find((each) => each.endsWith('.new'));
  const stats = name && statSync(join(folder(), name), { throwIfNoEntry: false });
  return stats !== undefined && stats !== '' && stats.size >= bytes;
}

async function checkWhole(backup: BackupData): Promise<void> {
  const response = await server.client.fetch('GET', backup.download_url);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200);
  assert.deepEqual(
    [bytes.length, createHash('sha256').update(bytes).digest('hex')],
    [backup.size_bytes, backup.sha256],
  );
  const unpacked = join(server.directory, 'unpacked');
  mkdirSync(unpacked);
  writeFileSync(join(unpacked, 'archive'), bytes);
  execFileSync('tar', ['-C', unpacked, '-xzf', join(unpacked, 'archive')]);
  assert.equal(fingerprint(join(unpacked, 'files')), tree);
  rmSync(unpacked, { recursive: true });
}

test('kill -9 at many moments of a backup', async (t) => {
  const began = performance.now();
  const { size_bytes, id } = await backUp('first');
  const lengthMs = performance.now() - began;
  await server.client.call('POST', '/backups/delete', { backup_id: id });
  const steps: Moment[] = [
    { what: 'when it has begun', hasCome: () => isWritten(0) },
    { what: 'when something is written', hasCome: () => isWritten(1) },
    { what: 'when half is written', hasCome: () => isWritten(size_bytes / 2) },
    { what: 'when all is written', hasCome: () => isWritten(size_bytes) },
    { what: 'when it has its name', hasCome: () => namesIn(folder()).some((name) => name.endsWith('.gz')) },
    { what: 'at its end', hasCome: () => false },
  ];
  let cutOff = 0;
  for (const [round, moment] of [...steps, ...momentsOver(lengthMs, 4, 1)].entries()) {
    const made = await killDuring(server, moment, () => backUp(`round ${round}`));
    if (namesIn(folder()).some((name) => name.endsWith('.new'))) cutOff++;
    await server.restart();
    const list = await backups();
    assert.deepEqual(
      namesIn(folder()).sort(),
      list.map((backup) => `${backup.id}.tar.gz`).sort(),
      `killed ${moment.what}`,
    );
    const answered = list.find((backup) => backup.id === made?.id);
    if (made) assert.deepEqual([answered?.name, answered?.sha256], [`round ${round}`, made.sha256], moment.what);
    for (const backup of list) await checkWhole(backup);
    assert.equal(fingerprint(home()), tree);
    await bringUp();
    // Its name is free when it is not there.
    if (list.length === 0) await backUp(`round ${round}`);
    for (const backup of await backups()) await server.client.call('POST', '/backups/delete', { backup_id: backup.id });
    assert.deepEqual(namesIn(folder()), []);
  }
  t.diagnostic(`${cutOff} were cut off while they were written`);
  assert.ok(cutOff > 0);
});

test('kill -9 at the deletion of a backup: it is there, or nothing of it', async () => {
  const gone: Moment = { what: 'when its file is gone', hasCome: () => namesIn(folder()).length === 0 };
  const atOnce: Moment = { what: 'at once', hasCome: () => true };
  const atEnd: Moment = { what: 'at its end', hasCome: () => false };
  for (const moment of [atOnce, gone, atEnd]) {
    const { id } = await backUp('to be deleted');
    const answer = await killDuring(server, moment, () =>
      server.client.call('POST', '/backups/delete', { backup_id: id }),
    );
    await server.restart();
    const list = await backups();
    assert.equal(namesIn(folder()).length, list.length, moment.what);
    if (answer) assert.deepEqual(list, [], moment.what);
    for (const backup of list) {
      await checkWhole(backup);
      await server.client.call('POST', '/backups/delete', { backup_id: backup.id });
    }
  }
});
