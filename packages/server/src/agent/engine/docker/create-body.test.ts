// Golden test of the create body: each field of a bot's container is part of its isolation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerSpec } from '../engine.ts';
import { createBody } from './create-body.ts';

const spec: ContainerSpec = {
  name: 'bot_5f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a10',
  botId: '5f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a10',
  generation: 7,
  run: 3,
  imageId: 'sha256:0123',
  uid: 100042,
  argv: ['/botel/launch', 'keep', 'npm start && echo "$HOME"'],
  environment: ['A=x y', 'HOME=/home/bot'],
  workingDirectory: '/home/bot',
  memoryBytes: 268_435_456,
  cpuPeriodMicros: 100_000,
  cpuQuotaMicros: 50_000,
  pidsLimit: 128,
  openFilesLimit: 4096,
  tmpBytes: 67_108_864,
  shmBytes: 16_777_216,
  mounts: [
    { source: '/data/homes/x', target: '/home/bot', readOnly: false },
    { source: '/data/passwd/x', target: '/etc/passwd', readOnly: true },
  ],
  stopSignal: 'SIGINT',
  stopGraceSeconds: 12,
  network: 'internet',
  runtime: null,
  stdin: false,
};

const placement = {
  installId: 'install-1',
  networkName: 'botel',
  resolvers: ['192.0.2.53'],
  runtime: 'runc',
  hostHasIpv6: true,
};

test('a bot without a network', () => {
  const { NetworkMode, Dns } = createBody({ ...spec, network: 'none' }, placement).HostConfig;
  assert.deepEqual({ NetworkMode, Dns }, { NetworkMode: 'none', Dns: [] });
});

test('the runtime is what the spec names, else the one of the settings', () => {
  const { Runtime, PidsLimit } = createBody({ ...spec, runtime: 'runsc' }, placement).HostConfig;
  // A sandbox needs threads of its own.
  assert.deepEqual([Runtime, PidsLimit], ['runsc', 256]);
  const build = createBody({ ...spec, runtime: 'runsc', pidsLimit: 512 }, placement);
  assert.equal(build.HostConfig.PidsLimit, 512, 'a build has the most');
  assert.equal(createBody(spec, { ...placement, runtime: 'kata' }).HostConfig.Runtime, 'kata');
});

test('the whole body', () => {
  assert.deepEqual(createBody(spec, placement), {
    Image: 'sha256:0123',
    User: '100042:100042',
    Entrypoint: ['/botel/launch', 'keep', 'npm start && echo "$HOME"'],
    Cmd: [],
    Env: ['A=x y', 'HOME=/home/bot'],
    WorkingDir: '/home/bot',
    Tty: false,
    OpenStdin: false,
    StdinOnce: false,
    Healthcheck: { Test: ['NONE'] },
    StopSignal: 'SIGINT',
    StopTimeout: 12,
    Labels: {
      'botel.install': 'install-1',
      'botel.bot': '5f0c7a52-9d5e-4a53-8c51-0d2b9f1f3a10',
      'botel.generation': '7',
      'botel.run': '3',
      'botel.spec': 'add8c90f4612bb302be8e4c4180279757bb4fe577b2301ea259e7e9d85240f11',
    },
    HostConfig: {
      Init: true,
      Runtime: 'runc',
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Memory: 268_435_456,
      MemorySwap: 268_435_456,
      CpuPeriod: 100_000,
      CpuQuota: 50_000,
      PidsLimit: 128,
      Ulimits: [
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,size=67108864,mode=1777' },
      ShmSize: 16_777_216,
      IpcMode: 'private',
      Mounts: [
        {
          Type: 'bind',
          Source: '/data/homes/x',
          Target: '/home/bot',
          ReadOnly: false,
          BindOptions: { Propagation: 'rprivate' },
        },
        {
          Type: 'bind',
          Source: '/data/passwd/x',
          Target: '/etc/passwd',
          ReadOnly: true,
          BindOptions: { Propagation: 'rprivate' },
        },
      ],
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      OomScoreAdj: 500,
      NetworkMode: 'botel',
      Dns: ['192.0.2.53'],
      Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '1' },
      PublishAllPorts: false,
      AutoRemove: false,
    },
  });
});

test('stdin stays open between writers, and is no terminal', () => {
  const { OpenStdin, StdinOnce, Tty } = createBody({ ...spec, stdin: true }, placement);
  assert.deepEqual({ OpenStdin, StdinOnce, Tty }, { OpenStdin: true, StdinOnce: false, Tty: false });
});

test('a host without IPv6 gets no sysctl', () => {
  assert.deepEqual(createBody(spec, { ...placement, hostHasIpv6: false }).HostConfig.Sysctls, {});
});

test('the hash of the spec changes with it', () => {
  const label = (changed: ContainerSpec) => createBody(changed, placement).Labels['botel.spec'];
  assert.equal(label(spec), label(structuredClone(spec)));
  assert.notEqual(label(spec), label({ ...spec, pidsLimit: 129 }));
});
