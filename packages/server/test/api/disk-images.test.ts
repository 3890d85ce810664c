// Bots whose homes are images: everything that is done with files works in them, usage is what the
// file system says, and nothing is left of deleted ones. Skipped, with the reason, on machines that
// can't mount images.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { BackupData, BackupListData } from '@botel/contract/backups';
import { tryImages } from '../../src/agent/homes/image-tools.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { unmountHomes } from '../support/unmount-homes.ts';
import { offlineBot, onlineBot, settled } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { send } from './request.ts';

const mebibyte = 1024 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'botel-images-'));
chmodSync(directory, 0o711);
const homes = join(directory, 'homes');
const start = (quota: string) => startFixture({ BOTEL_DATA_DIR: directory, BOTEL_DISK_QUOTA: quota });
const isMounted = (id: string) => statSync(join(homes, id)).dev !== statSync(homes).dev;

async function deleteAll({ client, server }: Fixture): Promise<void> {
  for (const bot of await client.bots()) await client.deleteBot(bot.id, true);
  await server.settle();
}

const fault = await tryImages(directory);
after(() => {
  if (fault === null) unmountHomes(directory);
  rmSync(directory, { recursive: true });
});

describe('homes in images', { skip: fault ?? false }, () => {
  test('hold files, backups, restores and copies; a plain home stays one; nothing is left of deleted bots', async () => {
    let plain: string;
    {
      await using soft = await start('soft');
      plain = (await offlineBot(soft)).id;
      await soft.client.writeFile(plain, 'old', new TextEncoder().encode('plain'));
    }
    await using fixture = await start('loop');
    // What the plan gives: small, to be quick.
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 32 }).execute());
    const { client, server } = fixture;
    const { id } = await onlineBot(fixture);
    assert.equal(isMounted(id), true);
    // Larger from its next start on: until then the bot's own disk is what is full, not the
    // machine's.
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 1000 }).execute());
    const answer = await client.fetch('PUT', `/bots/${id}/files/content?path=large`, {
      body: Buffer.alloc(90 * mebibyte),
    });
    assert.deepEqual([answer.status, answer.headers.get('X-Error-Code')], [403, 'disk_limit']);
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 32 }).execute());
    assert.equal(fixture.machine.byName(`bot_${id}`)?.spec?.mounts[0]?.source, join(homes, id, 'home'));
    await client.writeFile(id, 'folder/data', new Uint8Array(10 * mebibyte));
    assert.equal(readFileSync(join(homes, id, 'home/folder/data')).length, 10 * mebibyte);
    await until(async () => {
      await server.runTask('measure-disks');
      const { used_bytes, limit_bytes } = (await client.bot(id)).disk;
      return limit_bytes === 32 * mebibyte && (used_bytes ?? 0) > 10 * mebibyte;
    });
    // Not a file more goes in; deleting works all the same.
    const fillUp = () => {
      mkdirSync(join(homes, id, 'home/many'));
      for (let n = 0; ; n++) writeFileSync(join(homes, id, 'home/many', String(n)), '');
    };
    assert.throws(fillUp, { code: 'ENOSPC' });
    await client.call('POST', `/bots/${id}/files/delete`, { paths: ['many'] });
    assert.deepEqual(readdirSync(join(homes, id, 'home')), ['folder']);
    assert.deepEqual(readdirSync(join(homes, id, 'spare')), []);
    await client.lifecycle('stop', id);
    await settled(fixture, id, 'offline');

    const backup = (await client.call<BackupData>('POST', `/bots/${id}/backups`, { name: 'first' })).data;
    await client.writeFile(id, 'folder/data', new TextEncoder().encode('other'));
    // Old and new files are in the image side by side: more than the bot itself could have.
    await client.writeFile(id, 'filler', new Uint8Array(20 * mebibyte));
    await client.call('POST', '/backups/restore', { backup_id: backup.id });
    await until(async () => (await client.bot(id)).phase === null);
    assert.equal(statSync(join(homes, id, 'home/folder/data')).size, 10 * mebibyte);
    assert.deepEqual(readdirSync(join(homes, id, 'home')), ['folder']);
    assert.deepEqual([readdirSync(join(homes, id, 'staging')), readdirSync(join(homes, id, 'restoring'))], [[], []]);
    const { backups } = (await client.call<BackupListData>('GET', `/bots/${id}/backups`)).data;
    assert.ok(backups.length >= 1);

    const copy = (await client.call<{ id: string }>('POST', '/bots/create-from-backup', { backup_id: backup.id })).data;
    assert.equal(isMounted(copy.id), true);
    assert.equal(statSync(join(homes, copy.id, 'home/folder/data')).size, 10 * mebibyte);

    await client.lifecycle('start', plain);
    await settled(fixture, plain, 'online');
    assert.equal(isMounted(plain), false);
    assert.equal(readFileSync(join(homes, plain, 'old'), 'utf8'), 'plain');

    await deleteAll(fixture);
    assert.deepEqual([readdirSync(homes), readdirSync(join(directory, 'images'))], [[], []]);
  });

  test('are taken over by the next process, also with another setting, and finished there', async () => {
    let id: string;
    let running: string;
    {
      await using fixture = await start('loop');
      await inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: 32 }).execute());
      running = (await onlineBot(fixture)).id;
      id = (await offlineBot(fixture)).id;
      await fixture.client.writeFile(id, 'kept', new TextEncoder().encode('kept'));
      // What an upload leaves that was cut off.
      writeFileSync(join(homes, id, 'staging', '.keep'), '');
      rmSync(join(homes, id, 'staging', '.keep'));
    }
    assert.deepEqual([isMounted(running), isMounted(id)], [true, false], 'only a bot that goes on needs its home');
    assert.deepEqual(readdirSync(join(homes, id)), []);
    await using fixture = await start('soft');
    assert.deepEqual([isMounted(running), isMounted(id)], [true, true]);
    const answer = await send(fixture.client, `GET /bots/${id}/files`);
    assert.equal(answer.status, 200);
    assert.equal(readFileSync(join(homes, id, 'home/kept'), 'utf8'), 'kept');
    await deleteAll(fixture);
    assert.deepEqual(readdirSync(homes), []);
  });

  test('are not made for the fake engine unless they are asked for', async () => {
    await using fixture = await start('auto');
    const { id } = await offlineBot(fixture);
    await fixture.client.writeFile(id, 'file', new TextEncoder().encode('plain'));
    assert.equal(readFileSync(join(homes, id, 'file'), 'utf8'), 'plain');
    assert.equal(isMounted(id), false);
    await deleteAll(fixture);
  });
});
