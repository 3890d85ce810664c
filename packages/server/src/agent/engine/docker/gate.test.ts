// The door to the engine: every bot that can be composed passes, and nothing else does.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ContainerSpec } from '../engine.ts';
import type { CallOptions, Method } from './client.ts';
import { createBody } from './create-body.ts';
import { type EngineCalls, EngineGate } from './gate.ts';

const installId = '11111111-2222-4333-8444-555555555555';
const botId = '5f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a10';
const other = '6f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a11';
const containerId = 'ab'.repeat(32);
const directory = '/srv/botel';
const network = { name: 'botel', bridge: 'botel0' };

/** What came through. */
const sent: string[] = [];
const client: EngineCalls = {
  async request(method, path) {
    sent.push(`${method} ${path}`);
    return { status: 200, body: null };
  },
  async stream(method, path) {
    sent.push(`${method} ${path}`);
    return { status: 200, destroy() {}, async *[Symbol.asyncIterator]() {} };
  },
  async connect(path) {
    sent.push(`POST ${path}`);
    throw new Error('Nobody there');
  },
  async close() {},
};
const gate = new EngineGate(client, { installId, network, directory });

async function passes(method: Method, path: string, options: CallOptions = {}): Promise<boolean> {
  sent.length = 0;
  const answer = await gate.request(method, path, options).catch((error: Error) => error);
  assert.equal(answer instanceof Error, sent.length === 0);
  if (answer instanceof Error) assert.match(answer.message, /^Not a call of the life of a bot/);
  return sent.length === 1;
}

function specOf(change: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    name: `bot_${botId}`,
    botId,
    generation: 7,
    run: 3,
    imageId: `sha256:${'01'.repeat(32)}`,
    uid: 100_042,
    argv: ['/botel/launch', 'keep', 'npm start'],
    environment: ['A=x y'],
    workingDirectory: '/home/bot',
    memoryBytes: 268_435_456,
    cpuPeriodMicros: 100_000,
    cpuQuotaMicros: 50_000,
    pidsLimit: 128,
    openFilesLimit: 4096,
    tmpBytes: 67_108_864,
    shmBytes: 16_777_216,
    mounts: [
      { source: `${directory}/homes/${botId}`, target: '/home/bot', readOnly: false },
      { source: `${directory}/passwd/${botId}`, target: '/etc/passwd', readOnly: true },
      { source: `${directory}/launch`, target: '/botel/launch', readOnly: true },
      { source: `${directory}/downloads/nodejs`, target: '/botel/downloads', readOnly: true },
    ],
    stopSignal: 'SIGTERM',
    stopGraceSeconds: 10,
    network: 'internet',
    runtime: null,
    stdin: false,
    ...change,
  };
}

const placement = { installId, networkName: 'botel', resolvers: ['192.0.2.53'], runtime: 'runc', hostHasIpv6: true };

type Body = Record<string, unknown>;

function bodyOf(change: Partial<ContainerSpec> = {}): Body {
  return structuredClone(createBody(specOf(change), placement)) as Body;
}

function creates(body: unknown, name = `bot_${botId}`): Promise<boolean> {
  return passes('POST', '/containers/create', { query: { name }, body });
}

describe('bodies of bots', () => {
  test('whatever an owner, a plan and the settings say, passes', async () => {
    const text = fc.string({ unit: 'binary' });
    const change = fc.record({
      argv: fc.array(text, { minLength: 1 }),
      environment: fc.array(text),
      uid: fc.integer({ min: 100_001, max: 2 ** 31 }),
      run: fc.nat(),
      generation: fc.nat(),
      memoryBytes: fc.integer({ min: 128, max: 1_048_576 }).map((mb) => mb * 1024 * 1024),
      cpuQuotaMicros: fc.integer({ min: 25_000, max: 2 ** 31 }),
      pidsLimit: fc.constantFrom(128, 256, 512),
      stopSignal: fc.constantFrom('SIGTERM' as const, 'SIGINT' as const, 'SIGQUIT' as const),
      stopGraceSeconds: fc.integer({ min: 0, max: 300 }),
      network: fc.constantFrom('internet' as const, 'none' as const),
      runtime: fc.constantFrom(null, 'runsc', 'kata'),
      stdin: fc.boolean(),
    });
    await fc.assert(fc.asyncProperty(change, async (given) => assert.ok(await creates(bodyOf(given)))));
    const inImage = specOf().mounts.map((each) => ({ ...each, source: each.source.replace(/(homes\/.*)/, '$1/home') }));
    assert.ok(await creates(bodyOf({ mounts: inImage })));
  });

  test('with anything beside or otherwise, at any place, does not', async () => {
    const places: [string, (body: Body) => unknown][] = [
      ['body', (body) => body],
      ['HostConfig', ({ HostConfig }) => HostConfig],
      ['Labels', ({ Labels }) => Labels],
      ['Mounts[0]', ({ HostConfig }) => (HostConfig as { Mounts: unknown[] }).Mounts[0]],
      ['LogConfig.Config', ({ HostConfig }) => (HostConfig as { LogConfig: Body }).LogConfig.Config],
      ['BindOptions', ({ HostConfig }) => (HostConfig as { Mounts: Body[] }).Mounts[0]?.BindOptions],
    ];
    const beside = fc.tuple(fc.constantFrom(...places), fc.string({ minLength: 1 }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(beside, async ([[, at], key, value]) => {
        const body = bodyOf();
        const place = at(body) as Body;
        if (Object.hasOwn(place, key) || key === '__proto__') return;
        place[key] = value;
        assert.equal(await creates(body), false, key);
      }),
    );
  });

  test('of the host: privileges, capabilities, devices, namespaces, drivers, foreign mounts', async () => {
    const mounts = (bodyOf().HostConfig as { Mounts: Body[] }).Mounts;
    const source = (path: string, at = 0) => ({
      Mounts: mounts.map((m, i) => (i === at ? { ...m, Source: path } : m)),
    });
    const changes: Record<string, unknown>[] = [
      { Privileged: true },
      { CapAdd: ['SYS_ADMIN'] },
      { CapDrop: [] },
      { SecurityOpt: ['seccomp=unconfined'] },
      { SecurityOpt: [] },
      { ReadonlyRootfs: false },
      { Devices: [{ PathOnHost: '/dev/sda', PathInContainer: '/dev/sda', CgroupPermissions: 'rwm' }] },
      { DeviceRequests: [{ Driver: 'nvidia' }] },
      { DeviceCgroupRules: ['a *:* rwm'] },
      { Binds: ['/:/host'] },
      { VolumesFrom: ['other'] },
      { VolumeDriver: 'local' },
      ...['PidMode', 'UTSMode', 'UsernsMode', 'CgroupnsMode'].map((mode) => ({ [mode]: 'host' })),
      { IpcMode: 'host' },
      { IpcMode: 'container:other' },
      { NetworkMode: 'host' },
      { NetworkMode: 'bridge' },
      { NetworkMode: 'container:other' },
      { CgroupParent: '/' },
      { OomKillDisable: true },
      { Memory: -1 },
      { MemorySwap: -1 },
      { PidsLimit: 0 },
      { Sysctls: { 'kernel.core_pattern': '|/x' } },
      { LogConfig: { Type: 'syslog', Config: {} } },
      { LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3', env: 'x' } } },
      { RestartPolicy: { Name: 'always', MaximumRetryCount: 0 } },
      { PortBindings: { '80/tcp': [{ HostPort: '80' }] } },
      { PublishAllPorts: true },
      { Tmpfs: { '/tmp': 'rw,exec,suid,dev' } },
      { ExtraHosts: ['host:host-gateway'] },
      ...['/', '/etc', `${directory}`, `${directory}/secret.key`, `${directory}/homes/${other}`].map((path) =>
        source(path),
      ),
      source(`${directory}/homes/${botId}/../${other}`),
      source(`${directory}/homes/${botId}/x`),
      source('/var/run/docker.sock'),
      source(`${directory}/passwd/${other}`, 1),
      source(`${directory}/botel.sqlite`, 2),
      { Mounts: [{ ...mounts[1], ReadOnly: false }] },
      { Mounts: [{ ...mounts[0], Type: 'volume' }] },
      { Mounts: [{ ...mounts[0], Target: '/root' }] },
      { Mounts: [{ ...mounts[0], BindOptions: { Propagation: 'rshared' } }] },
      { Mounts: [{ ...mounts[0], VolumeOptions: { DriverConfig: { Name: 'local', Options: { type: 'nfs' } } } }] },
      { Mounts: [mounts[0], mounts[0]] },
    ];
    for (const change of changes) {
      const body = bodyOf();
      body.HostConfig = { ...(body.HostConfig as Body), ...change };
      assert.equal(await creates(body), false, JSON.stringify(change));
    }
  });

  test('of nobody: another user, name, install or image', async () => {
    const changes: Body[] = [
      { User: '0:0' },
      { User: '100042:0' },
      { User: '099999:099999' },
      { User: 'root' },
      { Image: 'alpine' },
      { Volumes: { '/data': {} } },
      { NetworkingConfig: { EndpointsConfig: { other: {} } } },
      { Entrypoint: [] },
      { Cmd: ['sh'] },
      { WorkingDir: '/' },
      { Tty: true },
      { Labels: { ...(bodyOf().Labels as Body), 'botel.install': 'another' } },
      { Labels: { ...(bodyOf().Labels as Body), 'botel.bot': other } },
    ];
    for (const change of changes)
      assert.equal(await creates({ ...bodyOf(), ...change }), false, JSON.stringify(change));
    for (const name of [`bot_${other}`, 'bot_x', '', `bot_${botId}&platform=x`])
      assert.equal(await creates(bodyOf(), name), false, name);
    assert.equal(await creates({ ...bodyOf(), Env: ['x'.repeat(3 * 1024 * 1024)] }), false);
  });
});

describe('calls', () => {
  test('of the life of a bot pass', async () => {
    const path = `/containers/${containerId}`;
    const filters = JSON.stringify({ label: [`botel.install=${installId}`] });
    const calls: [Method, string, CallOptions?][] = [
      ['GET', '/info'],
      ['GET', '/version'],
      ['GET', '/containers/json', { query: { all: true, filters } }],
      ['GET', `${path}/json`],
      ['GET', `/containers/bot_${botId}/json`],
      ['POST', `${path}/start`],
      ['POST', `${path}/stop?t=10`],
      ['POST', `${path}/kill?signal=SIGKILL`],
      ['DELETE', `${path}?v=1`],
      ['GET', '/networks/botel'],
    ];
    for (const [method, url, options] of calls) assert.ok(await passes(method, url, options), `${method} ${url}`);
    await assert.rejects(gate.connect(`${path}/attach`, { query: { stream: true, stdin: true } }), /Nobody there/);
    await gate.stream('GET', '/events', { query: { filters, since: 1 } });
  });

  test('of every other path and method do not', async () => {
    const path = `/containers/${containerId}`;
    const verbs = 'archive attach changes exec export logs pause rename resize restart stats top unpause update wait';
    const others = `auth build build/prune commit configs distribution/x/json events grpc images/create images/json
      images/load images/prune networks networks/host networks/prune nodes plugins plugins/pull secrets services session
      swarm/init system/df tasks volumes volumes/create containers/prune containers/json containers/foreign/json
      containers/../images/json exec/x/start containers/create`;
    const urls = [
      ...verbs.split(' ').map((verb) => `${path}/${verb}`),
      ...others.split(/\s+/).map((url) => `/${url}`),
      `${path}/json?size=1`,
      `${path}/stop`,
      `${path}/kill?signal=SIGSTOP`,
      `${path}?v=1&force=1`,
      path,
    ];
    for (const url of urls)
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
        for (const body of [undefined, {}, bodyOf()])
          assert.equal(await passes(method, url, { ...(body && { body }) }), false, `${method} ${url}`);
    const network = { Name: 'botel', Driver: 'macvlan', Options: { parent: 'eth0' } };
    assert.equal(await passes('POST', '/networks/create', { body: network }), false);
  });

  test('any text as a path is refused', async () => {
    const path = fc.string({ unit: 'binary' }).map((text) => `/${text}`);
    const method = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'DELETE');
    await fc.assert(fc.asyncProperty(method, path, async (verb, url) => assert.equal(await passes(verb, url), false)));
    await assert.rejects(gate.stream('GET', `/containers/${containerId}/logs`), /^Error: Not a call/);
    await assert.rejects(gate.connect('/exec/x/start'), /^Error: Not a call/);
    const both = { stream: true, stdin: true, stdout: true };
    await assert.rejects(gate.connect(`/containers/${containerId}/attach`, { query: both }), /^Error: Not a call/);
  });
});
