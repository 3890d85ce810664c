// The life of bots on the real engine, from creation to deletion, and calls that cross each other
// on the way.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { messageOf } from '../../packages/server/src/agent/engine/docker/client.ts';
import { until } from '../../packages/server/test/support/until.ts';
import {
  createBot,
  readText,
  startAndWait,
  storedTexts,
  waitForBot,
  waitForEnd,
  waitForLine,
  waitForStatus,
  waitOnline,
} from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';
import { probes } from './probes/probe.ts';

interface Container {
  Id: string;
  Image: string;
  State: { Status: string; Running: boolean; StartedAt: string };
  Config: { Labels: Record<string, string> };
}

let server: LocalServer;
before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

/** The container under the bot's name, whoever made it. */
async function containerOf(botId: string): Promise<Container | null> {
  const { status, body } = await server.engine.request('GET', `/containers/bot_${botId}/json`);
  return status === 404 ? null : (body as Container);
}

const worker = () => ({ command: 'node worker.js', files: probes('worker.js') });
const isStart = (number: number) => (line: { text: string }) => line.text === `start ${number}`;

/** Tables that still hold something of the bot. Its events are its owner's history, and outlive it
 * by their 90 days. */
function rowsOf(botId: string): string[] {
  using database = new DatabaseSync(join(server.directory, 'botel.sqlite'), { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table' and name <> 'events'").all() as {
    name: string;
  }[];
  return tables.flatMap(({ name }) => {
    const columns = database.prepare('select name from pragma_table_info(?)').all(name) as { name: string }[];
    const own = columns.filter((column) => column.name === 'bot_id' || (name === 'bots' && column.name === 'id'));
    return own.flatMap((column) => {
      const rows = database.prepare(`select 1 from "${name}" where "${column.name}" = ?`).all(botId);
      return rows.map(() => name);
    });
  });
}

describe('the life of a bot', { concurrency: 4 }, () => {
  test('from creation to deletion', async () => {
    const { client } = server;
    const id = await createBot(client, { ...worker(), name: 'whole-life' });
    assert.equal((await client.bot(id)).status, 'offline');
    assert.equal(await containerOf(id), null);

    const { message, data } = await client.lifecycle('start', id);
    assert.deepEqual([message, data.status], ['Bot "whole-life" is starting', 'starting']);
    const online = await waitOnline(client, id);
    assert.deepEqual([online.run, online.phase, online.container], [1, 'running', `bot_${id}`]);
    await waitForLine(client, id, isStart(1));
    const first = await containerOf(id);

    assert.equal((await client.lifecycle('stop', id)).data.status, 'stopping');
    const stopped = await waitForStatus(client, id, 'offline');
    assert.deepEqual([stopped.last_exit?.reason, stopped.last_exit?.run], ['stopped', 1]);
    assert.equal(stopped.next_restart_at, null);
    assert.deepEqual(await storedTexts(client, id, { stream: 'stdout', run: 1 }), ['start 1', 'saving', 'bye']);
    assert.equal(await containerOf(id), null);

    await startAndWait(client, id);
    await waitForLine(client, id, isStart(2));
    const second = await containerOf(id);
    assert.notEqual(second?.Id, first?.Id);
    assert.equal(await readText(client, id, 'saved'), '1');

    assert.equal((await client.lifecycle('restart', id)).data.status, 'starting');
    await waitForLine(client, id, isStart(3));
    const third = await waitOnline(client, id);
    assert.deepEqual([third.run, third.generation], [3, 4]);
    assert.equal(await readText(client, id, 'saved'), '2', 'a restart lets the old run save its work');
    assert.notEqual((await containerOf(id))?.Id, second?.Id);

    assert.equal((await client.lifecycle('kill', id)).data.status, 'stopping');
    const killed = await waitForStatus(client, id, 'offline');
    const { reason, signal, code, oom } = killed.last_exit ?? {};
    assert.deepEqual({ reason, signal, code, oom }, { reason: 'killed', signal: 'SIGKILL', code: 137, oom: false });
    assert.deepEqual(await storedTexts(client, id, { stream: 'stdout', run: 3 }), ['start 3']);

    const places = ['homes', 'passwd'].map((folder) => join(server.directory, folder, id));
    assert.deepEqual(places.map(existsSync), [true, true]);
    assert.notDeepEqual(rowsOf(id), []);
    await client.deleteBot(id);
    await assert.rejects(client.bot(id), { status: 404 });
    await assert.rejects(storedTexts(client, id, { stream: 'stdout' }), { status: 404 });
    await until(async () => rowsOf(id).length === 0);
    assert.deepEqual(places.map(existsSync), [false, false]);
    assert.equal(await containerOf(id), null);
    const { data: history } = await client.call<{ events: { type: string }[] }>('GET', `/events?bot_id=${id}&limit=1`);
    assert.equal(history.events[0]?.type, 'bot.deleted');
  });

  test('a stop overtakes a start', async () => {
    const { client } = server;
    const id = await createBot(client, worker());
    await client.lifecycle('start', id);
    await client.lifecycle('stop', id);
    const bot = await waitForStatus(client, id, 'offline');
    assert.equal(bot.desired_status, 'offline');
    assert.equal(bot.next_restart_at, null);
    await server.server.settle();
    assert.equal(await containerOf(id), null);
  });

  test('a kill overtakes a stop', async () => {
    const { client } = server;
    const id = await createBot(client, { command: 'node deaf.js', files: probes('deaf.js') });
    await startAndWait(client, id);
    await waitForLine(client, id, ({ text }) => text === 'ready');
    await client.call('POST', '/bots/stop', { bot_id: id, grace_seconds: 300 });
    await waitForLine(client, id, ({ text }) => text === 'no');
    assert.equal((await client.bot(id)).status, 'stopping');
    assert.equal((await client.lifecycle('kill', id)).data.status, 'stopping');
    assert.equal((await waitForStatus(client, id, 'offline')).last_exit?.reason, 'killed');
  });

  test('two restarts at once end in one run of the newest wish', async () => {
    const { client } = server;
    const id = await createBot(client, worker());
    await startAndWait(client, id);
    await Promise.all([client.lifecycle('restart', id), client.lifecycle('restart', id)]);
    const bot = await waitForBot(client, id, ({ status }) => status === 'online');
    assert.equal(bot.generation, 3);
    await waitForLine(client, id, ({ run, text }) => run === bot.run && text.startsWith('start '));
    const container = await containerOf(id);
    assert.equal(container?.Config.Labels['botel.generation'], '3');
    assert.equal(container?.Config.Labels['botel.run'], String(bot.run));
    assert.equal(container?.State.Running, true);
  });

  test('deletion by force takes a running bot down', async () => {
    const { client } = server;
    const id = await createBot(client, worker());
    await startAndWait(client, id);
    await assert.rejects(client.deleteBot(id), { status: 409, message: 'Bot must be offline' });
    await client.deleteBot(id, true);
    await assert.rejects(client.bot(id), { status: 404 });
    await until(async () => rowsOf(id).length === 0);
    assert.equal(await containerOf(id), null);
    assert.equal(existsSync(join(server.directory, 'homes', id)), false);
  });

  test('a container that somebody removes is told as vanished and made again', async (t) => {
    const { client } = server;
    const id = await createBot(client, worker());
    await startAndWait(client, id);
    await waitForLine(client, id, isStart(1));
    const began = performance.now();
    const removed = await server.engine.request('DELETE', `/containers/bot_${id}?force=1`);
    assert.equal(removed.status, 204);
    const ended = await waitForEnd(client, id);
    assert.equal(ended.last_exit?.reason, 'vanished');
    await waitForLine(client, id, isStart(2));
    const again = await waitOnline(client, id);
    assert.deepEqual([again.run, again.restart_count], [2, 1]);
    t.diagnostic(`online again ${((performance.now() - began) / 1000).toFixed(1)} s after it was removed`);
  });

  test('a stranger under the name of its container is left alone', async (t) => {
    const { client, engine } = server;
    const id = await createBot(client, worker());
    const neighbour = await createBot(client, worker());
    await startAndWait(client, neighbour);
    const body = {
      Image: (await containerOf(neighbour))?.Image,
      Entrypoint: ['/bin/sleep', '1000'],
      HostConfig: { NetworkMode: 'none' },
    };
    const made = await engine.request('POST', '/containers/create', { query: { name: `bot_${id}` }, body });
    assert.equal(made.status, 201, messageOf(made.body));
    try {
      assert.equal((await engine.request('POST', `/containers/bot_${id}/start`)).status, 204);
      const stranger = await containerOf(id);
      await client.lifecycle('start', id);
      const refused = await waitForEnd(client, id);
      assert.equal(refused.last_exit?.reason, 'start_failed');
      assert.match(refused.last_exit?.message ?? '', /taken by a container that is not of this Botel/);
      t.diagnostic(`start_failed: ${refused.last_exit?.message}`);
      await client.lifecycle('stop', id);
      await assert.rejects(client.lifecycle('kill', id), { status: 409 });
      assert.deepEqual(await containerOf(id), stranger);
    } finally {
      await engine.request('DELETE', `/containers/bot_${id}?force=1`);
    }
    await startAndWait(client, id);
    await waitForLine(client, id, isStart(1));
  });
});
