// Whatever a caller sends and the API accepts, the engine is never asked for more than a bot's
// container may have: no privilege, capability, device, bind, host namespace, foreign mount or
// driver option.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { createBody } from '../../src/agent/engine/docker/create-body.ts';
import type { ContainerSpec } from '../../src/agent/engine/engine.ts';
import { botBody } from '../engine-contract/bot-body.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';

const bots = 60;

const placement = {
  installId: 'install',
  networkName: 'botel',
  resolvers: [],
  runtime: 'runc',
  hostHasIpv6: true,
};

/** What the engine would take as more than a bot may have, wherever it stands. */
const greed = {
  Privileged: true,
  CapAdd: ['ALL'],
  Devices: [{ PathOnHost: '/dev/sda', PathInContainer: '/dev/sda', CgroupPermissions: 'rwm' }],
  Binds: ['/:/host'],
  Mounts: [{ Type: 'bind', Source: '/', Target: '/host' }],
  VolumesFrom: ['other'],
  PidMode: 'host',
  NetworkMode: 'host',
  IpcMode: 'host',
  UsernsMode: 'host',
  UTSMode: 'host',
  CgroupParent: '/',
  SecurityOpt: ['seccomp=unconfined'],
  VolumeDriver: 'local',
  Runtime: 'evil',
  Image: 'evil:latest',
  User: '0:0',
};

const texts = [
  '--privileged',
  '--cap-add=ALL -v /:/host',
  '/var/run/docker.sock:/sock',
  '","HostConfig":{"Privileged":true,"Binds":["/:/host"]},"x":"',
  '{"Type":"bind","Source":"/","Target":"/host"}',
  'a\nPrivileged: true',
  '$(touch /tmp/x); `id` && : || :',
  '../../../etc/passwd',
  'node index.js\u2028--pid=host',
];
const keys = ['Binds', '__proto__', 'constructor', 'LD_PRELOAD', 'PATH', 'HOME', 'BOTEL_BOT_ID', 'USER', 'A'];

/** Numbers below `most`, the same in every run. */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

function assertPolicy(spec: ContainerSpec, dataDirectory: string): void {
  // As the engine gets it.
  const body = JSON.parse(JSON.stringify(createBody(spec, placement))) as ReturnType<typeof createBody>;
  const { installId, networkName } = placement;
  // The fake engine has images of its own.
  const image = `sha256:${'0'.repeat(64)}`;
  const isBot = botBody({ installId, networkName, directory: dataDirectory });
  assert.ok(isBot({ ...body, Image: image }, spec.name), JSON.stringify(body));
  const { HostConfig: host } = body;
  assert.ok(['runc', 'runsc'].includes(host.Runtime));
  assert.deepEqual(host.Sysctls, { 'net.ipv6.conf.all.disable_ipv6': '1' });
  assert.match(body.Image, /^(sha256:)?[\w./:-]+$/);
  assert.ok(!body.Image.includes('evil'));
  const home = { Source: `${dataDirectory}/homes/${spec.botId}`, Target: '/home/bot', ReadOnly: false };
  const fixed = [
    { Source: `${dataDirectory}/passwd/${spec.botId}`, Target: '/etc/passwd', ReadOnly: true },
    { Source: `${dataDirectory}/launch`, Target: '/botel/launch', ReadOnly: true },
  ];
  const mounts = [home, ...fixed].map((mount) => ({
    ...mount,
    Type: 'bind',
    BindOptions: { Propagation: 'rprivate' },
  }));
  assert.deepEqual(host.Mounts, mounts);
}

test('no accepted input gives a container more than a bot may have', async () => {
  const settings = { BOTEL_DEFAULT_PLAN_BOTS: '1000', BOTEL_DEFAULT_PLAN_MEMORY_MB: '1000000' };
  await using fixture = await startFixture(settings);
  const { client, server, machine, directory } = fixture;
  const next = numbers(20_261_121);
  const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T;
  let accepted = 0;
  for (let count = 0; count < bots; count++) {
    const language = pick(['nodejs', 'python', 'java'] as const);
    const environment = Object.fromEntries([[pick(keys), pick(texts)]]);
    const created = await client.fetch('POST', '/bots/create', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        ...goodBot,
        language,
        startup_command: pick(texts),
        memory: 128 + next(4096),
        environment,
        ...greed,
        HostConfig: greed,
      }),
    });
    if (created.status >= 400) continue;
    const { id } = ((await created.json()) as { data: BotData }).data;
    const update = {
      bot_id: id,
      ...(next(2) && { startup_command: pick(texts) }),
      stop: { signal: pick(['SIGTERM', 'SIGINT', 'SIGQUIT']), grace_seconds: 1 + next(300), ...greed },
      network: pick(['internet', 'none']),
      stdin: next(2) === 1,
      ...greed,
      HostConfig: greed,
    };
    await client.call('POST', '/bots/update', update);
    // Half of them under a plan with a runtime of its own.
    const runtime = next(2) ? 'runsc' : null;
    await inDatabase(fixture, (db) => db.updateTable('plans').set({ container_runtime: runtime }).execute());
    await client.lifecycle('start', id);
    await server.settle();
    const spec = machine.containers().find(({ botId }) => botId === id)?.spec;
    assert.ok(spec, 'a container was made');
    assert.equal(spec.runtime, runtime);
    assertPolicy(spec, directory);
    accepted++;
    await client.deleteBot(id, true);
    await server.settle();
  }
  assert.ok(accepted > bots / 2, `${accepted} accepted`);
});
