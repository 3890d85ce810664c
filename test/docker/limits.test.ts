// The limits of bots, measured by programs inside of real containers, and what happens at them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { createBot, type NewBot, storedTexts, waitForEnd, waitForLine } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';
import { probes } from './probes/probe.ts';

const mebibyte = 1024 * 1024;

interface Status {
  Uid: string;
  Gid: string;
  Groups: string;
  CapInh: string;
  CapPrm: string;
  CapEff: string;
  CapBnd: string;
  CapAmb: string;
  NoNewPrivs: string;
  Seccomp: string;
}

/** What probes/facts.js prints. */
interface Facts {
  memoryBytes: number;
  memoryAndSwapBytes: number | null;
  cpu: { quota: number; period: number };
  pids: number;
  openFiles: [number, number];
  coreBytes: [number, number];
  status: { init: Status; self: Status };
  oomScoreAdj: number;
  writes: Record<string, string | null>;
  passwdWrite: string | null;
  launcherWrite: string | null;
  homeWrite: string | null;
  homeFileUid: number;
  tmpRuns: string;
  tmpBytes: number;
  tmpOptions: string[];
  shmBytes: number;
  rootOptions: string[];
  user: { uid: number; gid: number; username: string; homedir: string };
  home: string;
  directory: string;
  hostname: string;
  addresses: { family: string; address: string }[];
  ipv6Disabled: string;
  processes: number;
  devices: string[];
  engineSocket: boolean;
}

let server: LocalServer;
before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

/** Starts a bot and resolves with the JSON that it prints. */
async function report<T>(bot: NewBot): Promise<{ id: string; facts: T }> {
  const id = await createBot(server.client, bot);
  await server.client.lifecycle('start', id);
  const line = await waitForLine(server.client, id, ({ stream }) => stream === 'stdout', { withinMs: 60_000 });
  return { id, facts: JSON.parse(line.text) };
}

function factsOf(memory: number): Promise<{ id: string; facts: Facts }> {
  return report({ command: 'node facts.js', memory, files: probes('facts.js', 'cgroup.js') });
}

describe('limits of a bot', { concurrency: 4 }, () => {
  let small: Promise<{ id: string; facts: Facts }>;
  let large: Promise<{ id: string; facts: Facts }>;
  before(() => {
    small = factsOf(256);
    // Its 8 vCPU are more than this machine may have.
    large = factsOf(4096);
  });

  test('memory is the limit with swap, and buys processor time', async () => {
    const bots = [small, factsOf(512), factsOf(1024), large];
    const seen = (await Promise.all(bots)).map(({ facts }) => facts);
    const noSwapLimit = seen[0]?.memoryAndSwapBytes === null;
    assert.deepEqual(
      seen.map(({ memoryBytes, memoryAndSwapBytes, cpu }) => ({ memoryBytes, memoryAndSwapBytes, cpu })),
      [256, 512, 1024, 4096].map((memory) => ({
        memoryBytes: memory * mebibyte,
        memoryAndSwapBytes: noSwapLimit ? null : memory * mebibyte,
        cpu: { quota: (memory / 512) * 100_000, period: 100_000 },
      })),
    );
  });

  test('files, processes and core dumps', async () => {
    const { facts } = await small;
    assert.equal(facts.pids, 128);
    assert.deepEqual(facts.openFiles, [4096, 4096]);
    assert.deepEqual(facts.coreBytes, [0, 0]);
    assert.equal(facts.oomScoreAdj, 500);
  });

  test('no privileges: a user of its own, no capability, no way to new ones, filtered system calls', async () => {
    const [one, other] = await Promise.all([small, large]);
    const none = '0000000000000000';
    for (const { facts } of [one, other]) {
      const { uid } = facts.user;
      assert.ok(uid >= 100_000, `uid ${uid}`);
      const ids = [uid, uid, uid, uid].join('\t');
      for (const status of [facts.status.init, facts.status.self]) {
        assert.equal(status.Uid, ids);
        assert.equal(status.Gid, ids);
        assert.equal(status.Groups.trim().replace(String(uid), ''), '', 'no group beside its own');
        for (const set of [status.CapInh, status.CapPrm, status.CapEff, status.CapBnd, status.CapAmb])
          assert.equal(set, none);
        assert.equal(status.NoNewPrivs, '1');
        assert.equal(status.Seccomp, '2');
      }
      assert.equal(facts.homeFileUid, uid);
    }
    assert.notEqual(one.facts.user.uid, other.facts.user.uid);
  });

  test('only its home and two temporary folders can be written', async () => {
    const { facts } = await small;
    assert.ok(facts.rootOptions.includes('ro'), facts.rootOptions.join());
    for (const folder of ['/', '/etc', '/usr', '/usr/local/bin', '/var/tmp', '/botel', '/home'])
      assert.equal(facts.writes[folder], 'EROFS', folder);
    for (const [folder, refusal] of Object.entries(facts.writes)) assert.notEqual(refusal, null, folder);
    assert.notEqual(facts.passwdWrite, null);
    assert.notEqual(facts.launcherWrite, null);
    assert.equal(facts.homeWrite, null);
    assert.equal(facts.tmpRuns, 'ran');
    assert.equal(facts.tmpBytes, 64 * mebibyte);
    for (const option of ['rw', 'nosuid', 'nodev']) assert.ok(facts.tmpOptions.includes(option), option);
    assert.equal(facts.shmBytes, 16 * mebibyte);
    assert.equal((await large).facts.tmpBytes, 1024 * mebibyte);
  });

  test('it knows who it is, and sees nothing of the machine', async () => {
    const { id, facts } = await small;
    assert.equal(facts.user.username, 'bot');
    assert.equal(facts.user.gid, facts.user.uid);
    assert.equal(facts.user.homedir, '/home/bot');
    assert.equal(facts.home, '/home/bot');
    assert.equal(facts.directory, '/home/bot');
    const { body } = await server.engine.request('GET', `/containers/bot_${id}/json`);
    assert.equal(facts.hostname, (body as { Id: string }).Id.slice(0, 12));
    assert.notEqual(facts.hostname, hostname());
    assert.equal(facts.processes, 2, 'init and the program');
    assert.equal(facts.engineSocket, false);
    const usual = /^(core|fd|full|mqueue|null|ptmx|pts|random|shm|std(in|out|err)|tty|urandom|zero)$/;
    assert.deepEqual(
      facts.devices.filter((name) => !usual.test(name)),
      [],
    );
  });

  test('one IPv4 address, which answers this machine and no other bot', async () => {
    const { facts } = await small;
    assert.deepEqual(
      facts.addresses.map(({ family }) => family),
      ['IPv4'],
    );
    assert.equal(facts.ipv6Disabled, '1');
    const address = facts.addresses[0]?.address ?? '';
    const socket = connect(3000, address);
    const [greeting] = await once(socket, 'data');
    assert.equal(String(greeting), 'hello');
    socket.destroy();
    const environment = { TARGET: `${address}:3000` };
    const dialled = await report<{ outcome: string }>({
      command: 'node dial.js',
      files: probes('dial.js'),
      environment,
    });
    assert.notEqual(dialled.facts.outcome, 'connected');
  });

  test('a bot that starts programs without end is refused at its limit', async () => {
    const { facts } = await report<{ refusal: string; started: number }>({
      command: 'node spawner.js',
      files: probes('spawner.js'),
    });
    assert.equal(facts.refusal, 'EAGAIN');
    assert.ok(facts.started >= 100 && facts.started < 128, `${facts.started} started`);
  });

  test('a java bot may have twice as many: each program takes a thread of it too', async () => {
    const { facts } = await report<{ refusal: string; started: number }>({
      language: 'java',
      memory: 512,
      command: 'java Spawner.java',
      files: probes('Spawner.java'),
    });
    assert.match(facts.refusal, /Resource temporarily unavailable/);
    assert.ok(facts.started >= 100 && facts.started < 128, `${facts.started} started`);
  });

  test('a bot that computes on all processors gets its share of one', async () => {
    const { facts } = await report<{ share: number; throttled: number }>({
      command: 'node busy.js',
      memory: 128,
      files: probes('busy.js', 'cgroup.js'),
    });
    assert.ok(facts.throttled > 0, 'the quota was used up');
    assert.ok(facts.share > 0.25 * 0.3 && facts.share < 0.25 * 1.4, `share ${facts.share}`);
  });

  test('a bot that takes memory without end dies at its limit', async () => {
    const id = await createBot(server.client, { command: 'node hog.js', files: probes('hog.js') });
    await server.client.lifecycle('start', id);
    const { last_exit } = await waitForEnd(server.client, id);
    assert.equal(last_exit?.reason, 'oom');
    const taken = await storedTexts(server.client, id, { stream: 'stdout', run: 1 });
    const most = Math.max(...taken.map(Number));
    assert.ok(most > 32 && most <= 128, `${most} MB`);
    await server.client.deleteBot(id, true);
  });
});
