// Golden test: the whole container of a bot, field by field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Language } from '@botel/contract/vocabulary';
import { aBot } from '../../../test/support/sample-bot.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { buildSpec, containerSpec } from './container-spec.ts';

const paths = { home: '/data/homes/x', passwd: '/data/passwd/x', launcher: '/data/launch' };

test('the whole spec of a nodejs bot', () => {
  const bot = aBot({}, { run: 7, runGeneration: 3 });
  const environment = { TOKEN: 'a=b\n"c"', PORT: '4000' };
  assert.deepEqual(containerSpec(bot, { imageId: 'sha256:abc', paths, environment }), {
    name: `bot_${bot.id}`,
    botId: bot.id,
    generation: 3,
    run: 7,
    imageId: 'sha256:abc',
    uid: 100_001,
    argv: ['node', 'index.js'],
    environment: [
      'HOME=/home/bot',
      'PORT=4000',
      'TOKEN=a=b\n"c"',
      `BOTEL_BOT_ID=${bot.id}`,
      'BOTEL_BOT_NAME=greeter',
      'BOTEL_RUN=7',
      'TINI_KILL_PROCESS_GROUP=1',
    ],
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
      { source: '/data/launch', target: '/botel/launch', readOnly: true },
    ],
    stopSignal: 'SIGTERM',
    stopGraceSeconds: 10,
    network: 'internet',
    runtime: null,
    stdin: false,
  });
});

test('a run that was begun with stdin has one, whatever the setting is by now; a build never', () => {
  const fittings = { imageId: 'i', paths };
  const specOf = (stdin: boolean, runStdin: boolean) =>
    containerSpec(aBot({ stdin }, { runStdin }), { ...fittings, environment: {} }).stdin;
  assert.deepEqual([specOf(true, true), specOf(false, true), specOf(true, false)], [true, true, false]);
  assert.equal(
    buildSpec(aBot({ stdin: true }, { runStdin: true }), 'x', { ...fittings, memoryMb: 1024, downloads: null }).stdin,
    false,
  );
});

test('what differs by language', () => {
  const of = (language: Language, startupCommand: string) => {
    const { argv, pidsLimit } = containerSpec(aBot({ language, startupCommand } as Partial<Bot>), {
      imageId: 'i',
      paths,
      environment: {},
    });
    return { argv, pidsLimit };
  };
  assert.deepEqual(of('python', 'python -u bot.py'), { argv: ['python', '-u', 'bot.py'], pidsLimit: 128 });
  assert.deepEqual(of('java', 'java Bot.java'), { argv: ['java', 'Bot.java'], pidsLimit: 256 });
  assert.deepEqual(of('go', 'go run .'), { argv: ['/botel/launch', 'exec', 'go', 'run', '.'], pidsLimit: 128 });
  assert.deepEqual(of('rust', 'cargo build && ./bot'), {
    argv: ['/botel/launch', 'keep', 'cargo build && ./bot'],
    pidsLimit: 128,
  });
});

test("a build has limits of its own and none of the owner's variables", () => {
  const bot = aBot({ environmentNames: ['TOKEN'] }, { run: 2, runKind: 'build' });
  const spec = buildSpec(bot, 'npm ci', { imageId: 'i', paths, memoryMb: 1024, downloads: null });
  assert.deepEqual(spec.argv, ['/botel/launch', 'build', 'npm ci']);
  assert.deepEqual([spec.memoryBytes, spec.cpuQuotaMicros, spec.pidsLimit], [1024 * 1024 * 1024, 200_000, 512]);
  assert.deepEqual(spec.environment, [
    'HOME=/home/bot',
    'PORT=3000',
    'CI=1',
    `BOTEL_BOT_ID=${bot.id}`,
    'BOTEL_BOT_NAME=greeter',
    'BOTEL_RUN=2',
    'TINI_KILL_PROCESS_GROUP=1',
  ]);
  assert.deepEqual(spec.mounts, containerSpec(bot, { imageId: 'i', paths, environment: {} }).mounts);
  assert.equal(
    buildSpec(aBot({ memoryMb: 2048 }), 'x', { imageId: 'i', paths, memoryMb: 1024, downloads: null }).memoryBytes,
    2048 * 1024 * 1024,
  );
});

test('a build sees the downloads for its language, and can change nothing there', () => {
  const of = (language: Language) => {
    const bot = aBot({ language });
    const fittings = { imageId: 'i', paths, memoryMb: 1024 };
    const plain = buildSpec(bot, 'x', { ...fittings, downloads: null });
    const spec = buildSpec(bot, 'x', { ...fittings, downloads: `/data/downloads/${language}` });
    assert.deepEqual(spec.mounts, [
      ...plain.mounts,
      { source: `/data/downloads/${language}`, target: '/botel/downloads', readOnly: true },
    ]);
    const environment = spec.environment.filter((entry) => !plain.environment.includes(entry));
    assert.deepEqual({ ...spec, mounts: [], environment: [] }, { ...plain, mounts: [], environment: [] });
    return environment;
  };
  assert.deepEqual(of('nodejs'), []);
  assert.deepEqual(of('python'), ['PIP_FIND_LINKS=/botel/downloads']);
  assert.deepEqual(of('go'), ['GOPROXY=file:///botel/downloads,https://proxy.golang.org,direct']);
});

test('the network is what the owner chose, unless the plan gives none; builds have what the plan gives', () => {
  const networks = (change: Partial<Bot>) => {
    const bot = aBot(change);
    const { network } = containerSpec(bot, { imageId: 'i', paths, environment: {} });
    return [network, buildSpec(bot, 'make', { imageId: 'i', paths, memoryMb: 1024, downloads: null }).network];
  };
  assert.deepEqual(networks({}), ['internet', 'internet']);
  assert.deepEqual(networks({ network: 'none' }), ['none', 'internet']);
  assert.deepEqual(networks({ planInternet: false }), ['none', 'none']);
  assert.deepEqual(networks({ network: 'none', planInternet: false }), ['none', 'none']);
});

test("bots and builds have the runtime of the owner's plan", () => {
  const bot = aBot({ planRuntime: 'runsc' });
  assert.equal(containerSpec(bot, { imageId: 'i', paths, environment: {} }).runtime, 'runsc');
  assert.equal(buildSpec(bot, 'make', { imageId: 'i', paths, memoryMb: 1024, downloads: null }).runtime, 'runsc');
});

test("PORT is the owner's, else the app's, else 3000", () => {
  const port = (appPort: number | null, environment: Record<string, string>) =>
    containerSpec(aBot({ app: { id: 'app', name: 'greeter', port: appPort, healthPath: null } }), {
      imageId: 'i',
      paths,
      environment,
    }).environment.find((entry) => entry.startsWith('PORT='));
  assert.equal(port(8080, { PORT: '4000' }), 'PORT=4000');
  assert.equal(port(8080, {}), 'PORT=8080');
  assert.equal(port(null, {}), 'PORT=3000');
});

test("a variable of the owner can't replace one of Botel's", () => {
  const environment = { TINI_KILL_PROCESS_GROUP: '0' };
  assert.equal(
    containerSpec(aBot(), { imageId: 'i', paths, environment })
      .environment.filter((entry) => entry.startsWith('TINI'))
      .join(),
    'TINI_KILL_PROCESS_GROUP=1',
  );
});
