// The pure parts of the engine's setup, and its start, with stub programs in the engine's place.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, chmod, link, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { daemonSettings } from './daemon-settings.ts';
import { type EngineSituation, planEngine } from './engine-plan.ts';
import { isDebianLike, readOsRelease } from './os-release.ts';
import { askEngine } from './set-up-engine.ts';
import { startEngine } from './start-engine.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-setup-'));
after(() => rm(directory, { recursive: true, force: true }));

const debian = readOsRelease('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n');
const bare: EngineSituation = {
  dockerHost: 'unix:///var/run/docker.sock',
  answer: 'no',
  isRoot: true,
  isInstalled: false,
  distribution: debian,
};

test('os-release files of several systems are read', () => {
  assert.deepEqual(debian, { id: 'debian', like: [], name: 'Debian GNU/Linux 12 (bookworm)' });
  const mint = readOsRelease('NAME=\'Linux Mint\'\nID=linuxmint\nID_LIKE="ubuntu debian"\n# ID=no\n');
  assert.deepEqual(mint, { id: 'linuxmint', like: ['ubuntu', 'debian'], name: 'Linux Mint' });
  assert.deepEqual(readOsRelease(''), { id: '', like: [], name: 'an unknown system' });
  assert.ok(isDebianLike(debian) && isDebianLike(mint));
  assert.ok(!isDebianLike(readOsRelease('ID=fedora\nID_LIKE=""\n')));
});

test('an engine that answers is used, whatever else is true', () => {
  const used = planEngine({ ...bare, answer: 'yes', isRoot: false, dockerHost: 'tcp://10.0.0.1:2375' });
  assert.deepEqual(used, { step: 'use' });
});

test('root installs on Debian, and starts what is installed anywhere', () => {
  assert.deepEqual(planEngine(bare), { step: 'install' });
  assert.deepEqual(planEngine({ ...bare, isInstalled: true }), { step: 'start' });
  const fedora = readOsRelease('ID=fedora\nPRETTY_NAME="Fedora Linux 44"\n');
  assert.deepEqual(planEngine({ ...bare, isInstalled: true, distribution: fedora }), { step: 'start' });
});

for (const [what, situation, expected] of [
  ['no root', { isRoot: false }, /only root can install.*sudo apt-get install docker\.io/],
  ['no root, installed', { isRoot: false, isInstalled: true }, /is not running.*systemctl start docker/],
  ['a closed socket', { answer: 'denied', isRoot: false }, /may not open unix:.*usermod -aG docker/],
  ['another machine', { dockerHost: 'tcp://engine:2375' }, /No engine answers at tcp:\/\/engine:2375/],
  [
    'a socket of the operator',
    { dockerHost: 'unix:///run/mine.sock' },
    /No engine answers at unix:\/\/\/run\/mine\.sock/,
  ],
  ['another system', { distribution: readOsRelease('ID=arch\nNAME=Arch') }, /Debian and Ubuntu only \(this is Arch\)/],
] as const) {
  test(`the operator is told what to do: ${what}`, () => {
    const plan = planEngine({ ...bare, ...situation });
    assert.equal(plan.step, 'ask');
    assert.match(plan.step === 'ask' ? plan.text : '', expected);
  });
}

test('the settings of an installed engine keep bots alive and bound its logs', () => {
  assert.deepEqual(JSON.parse(daemonSettings()), {
    'live-restore': true,
    'log-driver': 'json-file',
    'log-opts': { 'max-size': '10m', 'max-file': '3' },
  });
});

test('a socket that nobody listens on is no answer', async () => {
  assert.equal(await askEngine(`unix://${join(directory, 'nobody.sock')}`), 'no');
});

/** A stub program in the engine's place. */
async function fakePlaces(name: string, script: string) {
  const program = join(directory, name);
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  const file = (suffix: string) => join(directory, `${name}.${suffix}`);
  return {
    places: { program, pidFile: file('pid'), containerdSocket: file('sock'), hasSystemd: false },
    logFile: file('log'),
    progress: () => {},
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

test('an engine that ends at once shows the end of its output', async () => {
  const options = await fakePlaces('failing', 'seq 1 40; echo "cannot do that" >&2; exit 3');
  await assert.rejects(startEngine({ ...options, answers: async () => false }), (error: Error) => {
    assert.match(
      error.message,
      /^The Docker engine exited immediately \(3\); the end of .*failing\.log:\n27\n[\s\S]*cannot do that$/,
    );
    return true;
  });
});

test('a program that is missing is told', async () => {
  const options = await fakePlaces('present', '');
  const places = { ...options.places, program: join(directory, 'absent') };
  await assert.rejects(
    startEngine({ ...options, places, answers: async () => false }),
    /Starting the Docker engine failed: .*ENOENT/,
  );
});

test('leftovers of a killed engine are removed before the start, and the engine outlives it in a session of its own', async () => {
  const options = await fakePlaces('good', 'cut -d " " -f 1,6 /proc/$$/stat; exec sleep 60');
  await writeFile(options.places.pidFile, String(process.pid));
  const server = createServer().listen(options.places.containerdSocket);
  await once(server, 'listening');
  // A killed process leaves its socket file behind, while closing would remove it.
  await link(options.places.containerdSocket, `${options.places.containerdSocket}.kept`);
  server.close();
  await once(server, 'close');
  await link(`${options.places.containerdSocket}.kept`, options.places.containerdSocket);

  await startEngine({ ...options, answers: async () => /^\d+ \d+$/m.test(await readFile(options.logFile, 'utf8')) });
  const [processId, session] = (await readFile(options.logFile, 'utf8')).trim().split(' ').map(Number);
  assert.ok(processId);
  process.kill(processId);
  assert.equal(session, processId);
  assert.equal(await exists(options.places.pidFile), false);
  assert.equal(await exists(options.places.containerdSocket), false);
});

test('a containerd that listens is left alone', async () => {
  const options = await fakePlaces('with-containerd', 'exec sleep 60');
  const server = createServer().listen(options.places.containerdSocket);
  await once(server, 'listening');
  await assert.rejects(
    startEngine({
      ...options,
      places: { ...options.places, program: '/bin/false' },
      answers: async () => false,
    }),
    /exited immediately \(1\)/,
  );
  assert.equal(await exists(options.places.containerdSocket), true);
  server.close();
});
