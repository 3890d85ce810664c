// GET and POST /bots/:id/backups; POST /backups/delete and lock; GET /backups/:id/download
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import type { BotelClient } from '@botel/contract/client';
import { loadSigner } from '../../src/core/data-folder/secret-key.ts';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { type Answer, assertRefused, invalidInput, type Refusal, send } from './request.ts';

const backupNotFound: Refusal = { status: 404, code: 'backup_not_found', error: 'Backup not found' };
const invalidSignature: Refusal = { status: 401, code: 'invalid_signature', error: 'Invalid signature' };
const unknownId = '00000000-0000-4000-8000-000000000000';

let fixture: Fixture;
let client: BotelClient;

before(async () => {
  fixture = await startFixture({ BOTEL_DEFAULT_PLAN_BOTS: '100' });
  client = fixture.client;
});

after(() => fixture[Symbol.asyncDispose]());

async function makeBot(): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, memory: 128, environment: { TOKEN: 'secret-canary' } });
  await client.writeFile(id, 'src/index.js', 'console.log(1)');
  return id;
}

function create(botId: string, name: unknown): Promise<Answer<BackupData>> {
  return send(client, `POST /bots/${botId}/backups`, { name });
}

async function made(botId: string, name: string): Promise<BackupData> {
  return (await create(botId, name)).body.data;
}

async function list(botId: string): Promise<BackupListData> {
  return (await client.call<BackupListData>('GET', `/bots/${botId}/backups`)).data;
}

/** Names of the bot's files in the data folder. */
function stored(botId: string): string[] {
  const folder = join(fixture.directory, 'backups', botId);
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe('201', () => {
  test('a backup of files and settings is stored, and its link gives it to whoever has it', async () => {
    const botId = await makeBot();
    const { status, body } = await create(botId, 'Before 2.0 – ü');
    assert.deepEqual([status, body.message], [201, 'Backup "Before 2.0 – ü" created successfully.']);
    const backup = body.data;
    const fields = 'id name size_bytes size_display download_url created_at can_delete locked sha256 trigger';
    assert.deepEqual(Object.keys(backup), fields.split(' '));
    assert.deepEqual(
      [backup.name, backup.can_delete, backup.locked, backup.trigger],
      ['Before 2.0 – ü', true, false, 'manual'],
    );
    assert.equal(backup.size_display, `${backup.size_bytes} B`);

    const answer = await fixture.guest.fetch('GET', backup.download_url);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('Content-Type'), 'application/gzip');
    assert.equal(answer.headers.get('Content-Length'), String(backup.size_bytes));
    assert.match(answer.headers.get('Content-Disposition') ?? '', /^attachment; filename="Before 2\.0 _ _\.tar\.gz";/);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), backup.sha256);

    const archive = join(fixture.directory, 'downloaded.tar.gz');
    writeFileSync(archive, bytes);
    const read = (name: string) => execFileSync('tar', ['-xzOf', archive, name]).toString();
    assert.equal(read('files/src/index.js'), 'console.log(1)');
    const settings = JSON.parse(read('settings.json'));
    assert.deepEqual([settings.name, settings.memory_mb], [goodBot.name, 128]);
    assert.ok(!execFileSync('gunzip', ['-c', archive]).includes('canary'), 'values are encrypted');
    assert.deepEqual(stored(botId), [`${backup.id}.tar.gz`]);
    assert.equal(statSync(join(fixture.directory, 'backups')).mode & 0o777, 0o700);
  });

  test('a running bot is backed up, too', async () => {
    const botId = await makeBot();
    await client.lifecycle('start', botId);
    await fixture.server.settle();
    assert.equal((await create(botId, 'while it runs')).status, 201);
    assert.equal((await client.bot(botId)).status, 'online');
  });

  test('two bots may have backups of the same name; a name is free again after a deletion', async () => {
    const [one, other] = [await makeBot(), await makeBot()];
    assert.equal((await create(one, 'same')).status, 201);
    const { id } = await made(other, 'same');
    await client.call('POST', '/backups/delete', { backup_id: id });
    assert.equal((await create(other, 'same')).status, 201);
  });
});

describe('200', () => {
  test('backups are listed, the newest first', async () => {
    const botId = await makeBot();
    assert.deepEqual(await list(botId), { bot_id: botId, count: 0, max: 8, backups: [] });
    for (const name of ['first', 'second']) await made(botId, name);
    const { count, backups } = await list(botId);
    assert.deepEqual([count, backups.map(({ name }) => name)], [2, ['second', 'first']]);
  });

  test('a backup is deleted with its file', async () => {
    const botId = await makeBot();
    const { id } = await made(botId, 'gone soon');
    const { status, body } = await send<BackupData>(client, 'POST /backups/delete', { backup_id: id.toUpperCase() });
    assert.deepEqual([status, body.data.id, body.message], [200, id, 'Backup "gone soon" was deleted']);
    assert.deepEqual([(await list(botId)).count, stored(botId)], [0, []]);
  });

  test('a lock protects a backup until it is taken away', async () => {
    const botId = await makeBot();
    const { id } = await made(botId, 'kept');
    const lock = (locked: boolean) => send<BackupData>(client, 'POST /backups/lock', { backup_id: id, locked });
    const { status, body } = await lock(true);
    assert.deepEqual([status, body.data.locked, body.data.can_delete], [200, true, false]);
    const refusal: Refusal = { status: 409, code: 'backup_locked', error: 'Backup is locked' };
    assertRefused(await send(client, 'POST /backups/delete', { backup_id: id }), refusal);
    assert.equal((await list(botId)).count, 1);
    assert.equal((await lock(false)).body.data.can_delete, true);
    assert.equal((await send(client, 'POST /backups/delete', { backup_id: id })).status, 200);
  });

  test('with a bot go its backups, also the locked ones', async () => {
    const botId = await makeBot();
    const { id, download_url } = await made(botId, 'with the bot');
    await client.call('POST', '/backups/lock', { backup_id: id, locked: true });
    await client.deleteBot(botId);
    await until(async () => !existsSync(join(fixture.directory, 'backups', botId)));
    await fixture.server.settle();
    assertRefused(await send(fixture.guest, `GET ${download_url}`), backupNotFound);
  });

  test('what an earlier process was writing or deleting is gone after a start', async () => {
    const botId = await makeBot();
    const kept = await made(botId, 'kept');
    for (const state of ['writing', 'deleting'] as const) {
      const { id } = await made(botId, state);
      await inDatabase(fixture, (db) => db.updateTable('backups').set({ state }).where('id', '=', id).execute());
    }
    writeFileSync(join(fixture.directory, 'backups', botId, 'cut-off.tar.gz.new'), '');
    await fixture.server.agent.services.backups.recover();
    assert.deepEqual(stored(botId), [`${kept.id}.tar.gz`]);
    for (const name of ['writing', 'deleting']) assert.equal((await create(botId, name)).status, 201);
  });
});

describe('400', () => {
  test('the name', async () => {
    const botId = await makeBot();
    const length = invalidInput('name', 'must be between 2 and 64 characters');
    const invalid = invalidInput('name', 'is not valid');
    const faults: [unknown, Refusal][] = [
      [undefined, invalidInput('name', 'is required')],
      [7, invalidInput('name', 'must be a string')],
      ['a', length],
      ['a'.repeat(65), length],
      ['a\nb', invalid],
      [' a', invalid],
    ];
    for (const [name, refusal] of faults) assertRefused(await create(botId, name), refusal, `${name}`);
    assert.equal((await create(botId, 'ü'.repeat(64))).status, 201);
  });

  test('the ids and the lock', async () => {
    for (const url of ['/backups/delete', '/backups/lock', '/backups/restore']) {
      const line = `POST ${url}`;
      assertRefused(await send(client, line, { locked: true }), invalidInput('backup_id', 'is required'));
      assertRefused(
        await send(client, line, { backup_id: 'x', locked: true }),
        invalidInput('backup_id', 'must be a UUID'),
      );
    }
    const lock = (locked: unknown) => send(client, 'POST /backups/lock', { backup_id: unknownId, locked });
    assertRefused(await lock(undefined), invalidInput('locked', 'is required'));
    assertRefused(await lock('true'), invalidInput('locked', 'must be true or false'));
  });
});

describe('401', () => {
  test('a link that is changed, of another backup, or expired', async () => {
    const botId = await makeBot();
    const { id, download_url } = await made(botId, 'linked');
    const other = await made(botId, 'other');
    const [path = '', query = ''] = download_url.split('?');
    const { expires = '', session = '', signature = '' } = Object.fromEntries(new URLSearchParams(query));
    const lasts = Number(expires) - Date.now() / 1000;
    assert.ok(lasts > 890 && lasts <= 900, `${lasts}`);
    const past = String(Math.floor(Date.now() / 1000) - 1);
    const signer = loadSigner(join(fixture.directory, 'secret.key'), 'backup links');
    assert.equal(signer.sign(`${id} ${expires} ${session}`), signature);
    const flipped = signature.slice(0, -2) + (signature.at(-2) === 'A' ? 'B' : 'A') + signature.slice(-1);
    const links = [
      path,
      `${path}?expires=${past}&session=${session}&signature=${signer.sign(`${id} ${past} ${session}`)}`,
      `${path}?expires=NaN&session=${session}&signature=${signer.sign(`${id} NaN ${session}`)}`,
      `${path}?expires=${expires}`,
      `${path}?expires=${expires}&signature=${signature}`,
      `${path}?expires=${expires}&signature=${signer.sign(`${id} ${expires} `)}`,
      `${path}?expires=${expires}&session=${unknownId}&signature=${signature}`,
      `${path}?expires=${expires}&session=${unknownId}&signature=${signer.sign(`${id} ${expires} ${unknownId}`)}`,
      `${path}?session=${session}&signature=${signature}`,
      `${path}?signature=${signature}`,
      `${path}?expires=${Number(expires) + 1}&session=${session}&signature=${signature}`,
      `${path}?expires=${expires}.0&session=${session}&signature=${signature}`,
      `${path}?expires=${expires}&session=${session}&signature=${flipped}`,
      `${path}?expires=${expires}&session=${session}&signature=`,
      `${path}?${query}&${query}`,
      `${path.replace(id, other.id)}?${query}`,
      `${path.replace(id, unknownId)}?${query}`,
      `${path.replace(id, 'x')}?${query}`,
    ];
    for (const link of links) {
      for (const who of [fixture.guest, client]) assertRefused(await send(who, `GET ${link}`), invalidSignature, link);
    }
  });
});

describe('403', () => {
  test('more bytes than the plan has for all backups of an account', async () => {
    const [id, other] = [await makeBot(), await makeBot()];
    const { id: backupId } = await made(id, 'large');
    const setSize = (size_bytes: number) =>
      inDatabase(fixture, (db) => db.updateTable('backups').set({ size_bytes }).where('id', '=', backupId).execute());
    const { backups: before } = await client.usage();
    await setSize(before.limit_mb * 1024 * 1024 + 1);
    const { backups } = await client.usage();
    const error = `Disk limit reached: ${backups.used_mb}MB of ${backups.limit_mb}MB`;
    assert.ok(backups.used_mb > backups.limit_mb);
    assertRefused(await create(other, 'one more'), { status: 403, code: 'disk_limit', error });
    assert.deepEqual(stored(other), []);
    await setSize(1);
    assert.equal((await create(other, 'one more')).status, 201);
  });

  test('a ninth backup', async () => {
    const botId = await makeBot();
    for (let count = 1; count <= 8; count++) assert.equal((await create(botId, `number ${count}`)).status, 201);
    const refusal: Refusal = { status: 403, code: 'backup_limit', error: 'Backup limit reached: 8 of 8' };
    assertRefused(await create(botId, 'number 9'), refusal);
    assert.deepEqual([(await list(botId)).count, stored(botId).length], [8, 8]);
  });
});

describe('404', () => {
  test("unknown backups and those of another user's bot, which stay", async () => {
    const botId = await makeBot();
    const { id } = await made(botId, 'not yours');
    for (const url of ['/backups/delete', '/backups/lock', '/backups/restore']) {
      for (const backup_id of [id, unknownId])
        assertRefused(await send(fixture.stranger, `POST ${url}`, { backup_id, locked: true }), backupNotFound, url);
    }
    const { backups } = await list(botId);
    assert.deepEqual([backups.length, backups[0]?.locked], [1, false]);
  });
});

describe('409', () => {
  test('a name that another backup of the bot has', async () => {
    const botId = await makeBot();
    await made(botId, 'twice');
    const refusal: Refusal = { status: 409, code: 'already_exists', error: 'A backup named "twice" already exists' };
    assertRefused(await create(botId, 'twice'), refusal);
    assert.equal(stored(botId).length, 1);
  });

  test('a second backup of a bot at the same time; the first is not hurt', async () => {
    const botId = await makeBot();
    const answers = await Promise.all(['one', 'two', 'three'].map((name) => create(botId, name)));
    const refusal: Refusal = { status: 409, code: 'bot_busy', error: 'Bot is busy: backup' };
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) assertRefused(answer, refusal);
    assert.equal((await list(botId)).count, 3 - refused.length);
    assert.equal(readFileSync(join(fixture.directory, 'homes', botId, 'src/index.js'), 'utf8'), 'console.log(1)');
  });
});
