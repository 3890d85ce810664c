// Disks that fill up: a bot beyond its limit is stopped and not started again; on a full machine
// new work is refused with 507, nothing that runs ends, and all is well again once there is room.
// The machine's disk is a small tmpfs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { EventListData } from '@botel/contract/bot-events';
import { type Fixture, goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { ended, offlineBot, onlineBot, settled } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { assertRefused, type Refusal, send } from './request.ts';

const mebibyte = 1024 * 1024;
const full: Refusal = { status: 507, code: 'storage_full', error: 'The server has no disk space left' };

/** As its own program does it: past the API. */
function writeInHome(fixture: Fixture, id: string, name: string, bytes: number): void {
  writeFileSync(join(fixture.directory, 'homes', id, name), Buffer.alloc(bytes, 1));
}

describe('a bot beyond its limit', async () => {
  const fixture = await startFixture();
  after(() => fixture[Symbol.asyncDispose]());
  const { client, server } = fixture;
  const limitTo = (mb: number) => inDatabase(fixture, (db) => db.updateTable('plans').set({ disk_mb: mb }).execute());

  test('is stopped at 110 %, with the reason; it starts again when its owner has made room', async () => {
    await limitTo(10);
    const { id } = await onlineBot(fixture);
    writeInHome(fixture, id, 'data', 10.5 * mebibyte);
    writeInHome(fixture, id, 'junk', 1);
    await server.runTask('measure-disks');
    await settled(fixture, id, 'online');
    writeInHome(fixture, id, 'more', 2 * mebibyte);
    // A change over the API has the files counted soon.
    await client.call('POST', `/bots/${id}/files/delete`, { paths: ['junk'] });
    await until(async () => {
      await server.runTask('measure-disks');
      return (await client.bot(id)).status === 'offline';
    });
    const bot = await client.bot(id);
    assert.deepEqual([bot.status_reason, bot.last_exit?.reason], ['disk_full', 'disk_full']);
    assert.equal(bot.last_exit?.message, 'Stopped: its files take more than the disk limit allows');
    assert.equal(bot.next_restart_at, null);
    const { events } = (await client.call<EventListData>('GET', `/bots/${id}/events?type=disk.full`)).data;
    assert.equal(events.length, 1);
    const refusal: Refusal = { status: 403, code: 'disk_limit', error: 'Disk limit reached: 13MB of 10MB' };
    assertRefused(await send(client, 'POST /bots/start', { bot_id: id }), refusal);
    await client.call('POST', `/bots/${id}/files/delete`, { paths: ['data'] });
    await client.lifecycle('start', id);
    assert.equal((await settled(fixture, id, 'online')).status_reason, null);
  });

  test('is not started by itself either', async () => {
    await limitTo(1000);
    const { id } = await onlineBot(fixture);
    writeInHome(fixture, id, 'data', 3 * mebibyte);
    await until(async () => {
      await server.runTask('measure-disks');
      return ((await client.bot(id)).disk.used_bytes ?? 0) > 2 * mebibyte;
    });
    await limitTo(2);
    await ended(fixture, id, 1);
    const bot = await until(async () => {
      const now = await client.bot(id);
      return now.status_reason === 'disk_full' && now;
    });
    assert.match(bot.last_exit?.message ?? '', /^Not started: its files take [34] MB of 2 MB$/);
    assert.equal(bot.run, 2);
  });

  test('files and folders count too, 64 per MB', async () => {
    await limitTo(100);
    const { id } = await offlineBot(fixture);
    await client.writeFile(id, 'first', new TextEncoder().encode('1'));
    const write = () => send(client, `POST /bots/${id}/files/mkdir`, { path: `folder-${Math.random()}` });
    assert.equal((await write()).status, 200);
    for (let n = 0; n < 6400; n++) writeInHome(fixture, id, `file-${n}`, 0);
    await client.call('POST', `/bots/${id}/files/delete`, { paths: ['first'] });
    const refusal: Refusal = { status: 403, code: 'disk_limit', error: 'Disk limit reached: 6401 of 6400 files' };
    assertRefused(await write(), refusal);
    await until(async () => {
      await server.runTask('measure-disks');
      return (await client.bot(id)).disk.used_files === 6401;
    });
    assertRefused(await send(client, 'POST /bots/start', { bot_id: id }), refusal);
    assert.equal((await client.bot(id)).disk.limit_files, 6400);
  });

  test('disk_mb: less than the plan gives, not more, and not less than the files take', async () => {
    await limitTo(100);
    const { id } = await offlineBot(fixture);
    await client.writeFile(id, 'data', new Uint8Array(20 * mebibyte));
    const update = (disk_mb: unknown) => send(client, 'POST /bots/update', { bot_id: id, disk_mb });
    assert.equal((await update(50)).status, 200);
    assert.equal((await client.bot(id)).disk.limit_bytes, 50 * mebibyte);
    const refusal = (error: string): Refusal => ({ status: 403, code: 'disk_limit', error });
    assertRefused(await update(101), refusal('Disk limit reached: 101MB of 100MB'));
    assertRefused(await update(16), refusal('Disk limit reached: 20MB of 16MB'));
    assert.equal((await update(0)).status, 400);
    await limitTo(40);
    assert.equal((await client.bot(id)).disk.limit_bytes, 40 * mebibyte, 'a smaller plan counts at once');
  });
});

/** A file system of 48 MB, unless this machine lets nobody mount one: then why. */
function smallDisk(): { path: string; unmount(): void } | string {
  const path = mkdtempSync(join(tmpdir(), 'botel-small-'));
  const unmount = () => rmSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'botel-test', path], { stdio: 'pipe' });
  } catch (error) {
    unmount();
    return `no tmpfs can be mounted here: ${(error as Error).message}`;
  }
  return {
    path,
    unmount() {
      execFileSync('umount', [path]);
      unmount();
    },
  };
}

const disk = smallDisk();

describe('a full machine', { skip: typeof disk === 'string' && disk }, async () => {
  if (typeof disk === 'string') return;
  const filler = join(disk.path, 'filler');
  /** Leaves so many bytes free. */
  const fill = (free: number) => {
    const { bavail, bsize } = statfsSync(disk.path);
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free), 1), { flag: 'a' });
  };
  const start = (settings: Record<string, string>) => startFixture({ BOTEL_DATA_DIR: disk.path, ...settings });
  after(() => disk.unmount());

  test('beyond the mark new work is 507, what runs goes on, and it recovers', async () => {
    await using fixture = await start({ BOTEL_DISK_REFUSE_PERCENT: '95' });
    const { client, guest, server } = fixture;
    const { id } = await onlineBot(fixture);
    const offline = await offlineBot(fixture);
    fill(mebibyte);
    const makeFolder = () => send(client, `POST /bots/${id}/files/mkdir`, { path: `folder-${Math.random()}` });
    await until(async () => (await makeFolder()).status === 507);
    await server.runTask('watch-storage');
    assertRefused(await send(client, 'POST /bots/create', goodBot), full);
    assertRefused(await send(client, `POST /bots/${id}/backups`, { name: 'backup' }), full);
    assertRefused(await makeFolder(), full);
    assertRefused(await send(guest, 'GET /ready'), { status: 503, code: 'not_ready', error: 'Not ready: disk' });
    assert.equal((await settled(fixture, id, 'online')).run, 1);
    await client.lifecycle('start', offline.id);
    await settled(fixture, offline.id, 'online');
    rmSync(filler);
    await until(async () => (await send(client, 'POST /bots/create', goodBot)).status < 300);
  });

  test('when the database takes no more, calls that write are 507, others answer, and it recovers', async () => {
    // What a server leaves of the first test is of another install.
    for (const name of ['botel.sqlite', 'install-id', 'secret.key']) rmSync(join(disk.path, name), { force: true });
    await using fixture = await start({});
    const { client, server } = fixture;
    const { id } = await onlineBot(fixture);
    fill(0);
    const update = () => send(client, `PUT /bots/${id}/env`, { environment: { A: 'x'.repeat(20_000) } });
    let answer = await update();
    // The log of the database has a little room of its own.
    for (let n = 0; n < 500 && answer.status === 200; n++) answer = await update();
    assertRefused(answer, full);
    assert.equal((await client.bot(id)).status, 'online');
    assert.equal((await send(client, 'GET /bots')).status, 200);
    rmSync(filler);
    assert.equal((await update()).status, 200);
    await client.lifecycle('stop', id);
    await server.settle();
    await settled(fixture, id, 'offline');
  });
});
