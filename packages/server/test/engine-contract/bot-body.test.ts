// What create-body.ts makes of every bot that can be composed is a bot's body, and nothing that
// differs from it is.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createBody } from '../../src/agent/engine/docker/create-body.ts';
import type { ContainerSpec } from '../../src/agent/engine/engine.ts';
import { botBody } from './bot-body.ts';

const installId = '11111111-2222-4333-8444-555555555555';
const botId = '5f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a10';
const other = '6f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a11';
const directory = '/srv/botel';
const isBotBody = botBody({ installId, networkName: 'botel', directory });

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

/** As the engine gets it. */
function isBot(body: unknown, name = `bot_${botId}`): boolean {
  return isBotBody(JSON.parse(JSON.stringify(body)), name);
}

describe('bodies of bots', () => {
  test('whatever an owner, a plan and the settings say, passes', () => {
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
    fc.assert(fc.property(change, (given) => assert.ok(isBot(bodyOf(given)))));
    const inImage = specOf().mounts.map((each) => ({ ...each, source: each.source.replace(/(homes\/.*)/, '$1/home') }));
    assert.ok(isBot(bodyOf({ mounts: inImage })));
  });

  test('with anything beside or otherwise, at any place, does not', () => {
    const places: [string, (body: Body) => unknown][] = [
      ['body', (body) => body],
      ['HostConfig', ({ HostConfig }) => HostConfig],
      ['Labels', ({ Labels }) => Labels],
      ['Mounts[0]', ({ HostConfig }) => (HostConfig as { Mounts: unknown[] }).Mounts[0]],
      ['LogConfig.Config', ({ HostConfig }) => (HostConfig as { LogConfig: Body }).LogConfig.Config],
      ['BindOptions', ({ HostConfig }) => (HostConfig as { Mounts: Body[] }).Mounts[0]?.BindOptions],
    ];
    const beside = fc.tuple(fc.constantFrom(...places), fc.string({ minLength: 1 }), fc.jsonValue());
    fc.assert(
      fc.property(beside, ([[, at], key, value]) => {
        const body = bodyOf();
        const place = at(body) as Body;
        if (Object.hasOwn(place, key) || key === '__proto__') return;
        place[key] = value;
        assert.equal(isBot(body), false, key);
      }),
    );
  });

  test('of the host: privileges, capabilities, devices, namespaces, drivers, foreign mounts', () => {
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
      assert.equal(isBot(body), false, JSON.stringify(change));
    }
  });

  test('of nobody: another user, name, install or image', () => {
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
    for (const change of changes) assert.equal(isBot({ ...bodyOf(), ...change }), false, JSON.stringify(change));
    for (const name of [`bot_${other}`, 'bot_x', '', `bot_${botId}&platform=x`])
      assert.equal(isBot(bodyOf(), name), false, name);
  });
});
