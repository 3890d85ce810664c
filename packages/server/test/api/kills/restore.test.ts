// kill -9 of the server in the middle of a restore, also while it is carried on: files and settings
// are those of before or those of the backup; what was answered is carried out; no safety backup is
// half-made or made twice.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import type { EventListData } from '@botel/contract/bot-events';
import type { BotData } from '@botel/contract/bots';
import { ApiError } from '@botel/contract/client';
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

/** What a bot is like before or after a restore. */
interface Side {
  name: string;
  tree: string;
  backup: BackupData;
}

let server: KillableServer;
let botId = '';
const sides: Side[] = [];

before(async () => {
  server = await startKillable();
  ({ id: botId } = await server.client.createBot(goodBot));
  await server.client.writeFile(botId, 'index.js', '');
  for (const name of ['day', 'night']) {
    rmSync(home(), { recursive: true });
    await server.client.writeFile(botId, 'index.js', '');
    makeTree(home(), name);
    await server.client.call('POST', '/bots/update', { bot_id: botId, name, startup_command: `node ${name}.js` });
    await server.client.call('PUT', `/bots/${botId}/env`, { environment: { SIDE: name } });
    const { data } = await server.client.call<BackupData>('POST', `/bots/${botId}/backups`, { name });
    await server.client.call('POST', '/backups/lock', { backup_id: data.id, locked: true });
    sides.push({ name, tree: fingerprint(home()), backup: data });
  }
});

after(() => server?.[Symbol.asyncDispose]());

const home = () => join(server.directory, 'homes', botId);
const restoring = () => join(server.directory, 'restoring');
const folder = () => join(server.directory, 'backups', botId);
const isFiles = (count: number, ending: string) =>
  namesIn(folder()).filter((name) => name.endsWith(ending)).length >= count;

async function backups(): Promise<BackupData[]> {
  return (await server.client.call<BackupListData>('GET', `/bots/${botId}/backups`)).data.backups;
}

async function events(): Promise<string[]> {
  const { data } = await server.client.call<EventListData>('GET', `/bots/${botId}/events?limit=100`);
  return data.events.map(({ type }) => type).filter((type) => type.startsWith('backup.'));
}

/** Begins a restore and waits until it is over, so that it can be killed at any moment; resolves
 * when it was answered. */
async function restore({ backup }: Side, safety: boolean, told: { answered: boolean }): Promise<BotData> {
  await server.client.call('POST', '/backups/restore', { backup_id: backup.id, safety_backup: safety });
  told.answered = true;
  return isOver();
}

function isOver(): Promise<BotData> {
  return until(async () => {
    const bot = await server.client.bot(botId);
    return bot.phase !== 'restoring' && bot;
  }, 60_000);
}

/** The side that files and settings are of, in which they must agree. */
async function presentSide(what: string): Promise<Side> {
  const tree = fingerprint(home());
  const side = sides.find((each) => each.tree === tree);
  assert.ok(side, `${what}: the files are of neither side`);
  const bot = await server.client.bot(botId);
  const { data } = await server.client.call<{ environment: object }>('GET', `/bots/${botId}/env`);
  assert.deepEqual(
    [bot.name, bot.startup_command, data.environment],
    [side.name, `node ${side.name}.js`, { SIDE: side.name }],
    what,
  );
  return side;
}

/** All that are shown are whole; resolves to the safety backups. */
async function safetyBackups(what: string): Promise<BackupData[]> {
  const list = await backups();
  for (const backup of list) {
    const bytes = await (await server.client.fetch('GET', backup.download_url)).bytes();
    assert.equal(createHash('sha256').update(bytes).digest('hex'), backup.sha256, what);
  }
  return list.filter(({ trigger }) => trigger === 'safety');
}

const unpacking: Moment[] = [
  { what: 'when its place is made', hasCome: () => namesIn(restoring()).length > 0 },
  { what: 'when half is unpacked', hasCome: () => anyOf(restoring(), 'new', 'folder-9') },
  { what: 'when it is being decided', hasCome: () => anyOf(restoring(), 'journal.new') },
  { what: 'when it is decided', hasCome: () => anyOf(restoring(), 'journal') },
  { what: 'when the old files are moved away', hasCome: () => anyOf(restoring(), 'old') },
];

/** Restores the other side, kills at the moments one after the other, and looks at what comes of
 * it. */
async function checkKills(first: Moment, later: Moment[], safety: boolean): Promise<void> {
  const what = [first, ...later].map((moment) => moment.what).join(', then ');
  const present = await presentSide(`before ${what}`);
  const wanted = sides.find((side) => side !== present) as Side;
  const before = await events();
  const told = { answered: false };
  await killDuring(server, first, () => restore(wanted, safety, told));
  for (const moment of later) {
    await server.restart();
    await killDuring(server, moment, isOver);
  }
  await server.restart();
  const bot = await server.client.bot(botId);
  assert.ok(bot.status === 'offline' && [null, 'restoring'].includes(bot.phase), what);
  await isOver();
  const found = await presentSide(what);
  assert.deepEqual(namesIn(restoring()), [], what);
  const made = await safetyBackups(what);
  assert.equal(namesIn(folder()).length, sides.length + made.length, what);
  const isDone = found === wanted;
  if (told.answered) assert.ok(isDone, `${what}: it was answered and not carried out`);
  assert.equal(made.length, safety && isDone ? 1 : 0, `${what}: safety backups`);
  const since = (await events()).slice(0, (await events()).length - before.length);
  assert.deepEqual(since, [...(isDone ? ['backup.restored'] : []), ...made.map(() => 'backup.completed')], what);
  for (const backup of made) await server.client.call('POST', '/backups/delete', { backup_id: backup.id });
}

async function lengthOf(safety: boolean): Promise<number> {
  const began = performance.now();
  const present = await presentSide('at first');
  await restore(sides.find((side) => side !== present) as Side, safety, { answered: false });
  const lengthMs = performance.now() - began;
  for (const backup of await safetyBackups('at first'))
    await server.client.call('POST', '/backups/delete', { backup_id: backup.id });
  return lengthMs;
}

test('without a safety backup', async () => {
  for (const moment of [...unpacking, ...momentsOver(await lengthOf(false), 4, 1)]) await checkKills(moment, [], false);
});

test('with a safety backup', async () => {
  const safety: Moment[] = [
    { what: 'when the safety backup is begun', hasCome: () => isFiles(1, '.new') },
    { what: 'when the safety backup is there', hasCome: () => isFiles(sides.length + 1, '.gz') },
    { what: 'when half is unpacked', hasCome: () => anyOf(restoring(), 'new', 'folder-9') },
  ];
  for (const moment of [...safety, ...momentsOver(await lengthOf(true), 3, 2)]) await checkKills(moment, [], true);
});

test('several times in a row', async () => {
  await checkKills(unpacking[0]!, [unpacking[1]!, unpacking[3]!], false);
  const isBegun: Moment = { what: 'when the safety backup is begun', hasCome: () => isFiles(1, '.new') };
  await checkKills(isBegun, [isBegun, unpacking[0]!, unpacking[4]!], true);
});

test('a backup that is damaged when it is carried on: the old files stay, the owner is told', async () => {
  const present = await presentSide('before');
  const wanted = sides.find((side) => side !== present) as Side;
  const path = join(folder(), `${wanted.backup.id}.tar.gz`);
  await killDuring(server, unpacking[1]!, () => restore(wanted, false, { answered: false }));
  renameSync(path, `${path}.kept`);
  writeFileSync(path, 'something else');
  await server.restart();
  await isOver();
  renameSync(`${path}.kept`, path);
  assert.equal(await presentSide('afterwards'), present);
  assert.deepEqual([(await events())[0], namesIn(restoring())], ['backup.failed', []]);
});

test('while it is carried on the bot is restoring; afterwards it starts', async () => {
  const present = await presentSide('before');
  const wanted = sides.find((side) => side !== present) as Side;
  await killDuring(server, unpacking[0]!, () => restore(wanted, true, { answered: false }));
  await server.restart();
  assert.equal((await server.client.bot(botId)).phase, 'restoring');
  await assert.rejects(server.client.lifecycle('start', botId), (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.message, 'Bot is busy: restoring');
    return true;
  });
  await isOver();
  await server.client.lifecycle('start', botId);
  await until(async () => (await server.client.bot(botId)).status === 'online');
  assert.equal(await presentSide('online'), wanted);
});
