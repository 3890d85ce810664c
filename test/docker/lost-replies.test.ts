// The engine does what it is asked, but its replies are lost on the way: nothing is done twice, nobody is blamed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../packages/server/test/contract/until.ts';
import { waitForLine, waitOnline, waitForStatus } from './bots.ts';
import { assertCounts, containersOfBot, createCountingBot, onlyContainers } from './counting-bot.ts';
import { startDockerServer } from './fixture.ts';

const engineSocket = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace('unix://', '');

/** Stands between a server and the engine. */
interface Thief extends AsyncDisposable {
  host: string;
  /** Replies that were lost so far. */
  lost(): number;
  /** From now on the first `count` replies to requests that match are lost. */
  steal(request: RegExp, count: number): void;
}

async function openThief(): Promise<Thief> {
  const directory = await mkdtemp(join(tmpdir(), 'botel-thief-'));
  const path = join(directory, 'docker.sock');
  const sockets = new Set<Socket>();
  let wanted = /^$/;
  let left = 0;
  let lost = 0;
  const server = createServer((client) => {
    const engine = connect(engineSocket);
    let isMarked = false;
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      isMarked ||= left > 0 && wanted.test(bytes.toString('latin1'));
      engine.write(bytes);
    });
    engine.on('data', (bytes) => {
      if (!isMarked || left === 0) return void client.write(bytes);
      left--;
      lost++;
      client.destroy();
    });
    client.once('close', () => engine.destroy());
    engine.once('close', () => client.destroy());
  });
  await once(server.listen(path), 'listening');
  return {
    host: `unix://${path}`,
    lost: () => lost,
    steal(request, count) {
      wanted = request;
      left = count;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}

test('replies to create, start, stop and remove are lost: each is done once', async () => {
  await using thief = await openThief();
  await using server = await startDockerServer({ BOTEL_DOCKER_HOST: thief.host });
  const { client, engine } = server;
  const id = await createCountingBot(client);
  let lost = 0;
  for (const request of [/^POST \S+\/containers\/create/, /^POST \S+\/start /]) {
    thief.steal(request, 2);
    await client.lifecycle('start', id);
    const bot = await waitOnline(client, id);
    await waitForLine(client, id, ({ run, text }) => run === bot.run && text === '3');
    const [container] = await onlyContainers(engine, [id]);
    assert.deepEqual([container?.running, container?.run, bot.restart_count], [true, bot.run, 0]);
    assert.equal(thief.lost(), ++lost, 'a container that is there is not made again, nor started');

    thief.steal(lost === 1 ? /^POST \S+\/stop\?/ : /^DELETE /, 1);
    await client.lifecycle('stop', id);
    const stopped = await waitForStatus(client, id, 'offline');
    assert.equal(stopped.last_exit?.reason, 'stopped');
    await until(async () => (await containersOfBot(engine, id)).length === 0);
    assert.equal(thief.lost(), ++lost);
  }
  assert.deepEqual([...(await assertCounts(client, id)).keys()], [1, 2]);
});
