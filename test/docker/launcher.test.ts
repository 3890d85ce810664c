// The launcher in real containers: the stop signal reaches every program, each may finish its work,
// exit codes survive, and nothing changes the environment.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { argvOf } from '../../packages/server/src/core/domain/launch.ts';
import { RuntimeImages } from '../../packages/server/src/agent/engine/docker/runtime-images.ts';
import { openDocker, type Probe, runProbe, startProbe } from './probe.ts';

const client = openDocker();
const cacheDirectory = await mkdtemp(join(tmpdir(), 'botel-images-'));
let imageId = '';

before(async () => {
  const imagesDirectory = join(import.meta.dirname, '../../images');
  const images = new RuntimeImages({ client, source: 'auto', imagesDirectory, cacheDirectory, extraCaFile: '' });
  imageId = await images.prepare('nodejs', '24', () => {});
});
after(async () => {
  await client.close();
  await rm(cacheDirectory, { recursive: true, force: true });
});

/** A bot that needs 1.5 s to save its work. */
const saver = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT']) process.once(signal, () => {
  console.log('got ' + signal);
  setTimeout(() => { console.log('saved'); process.exit(0); }, 1500);
});
setInterval(() => {}, 1000);
console.log('up');
`;
const files = {
  'saver.js': saver,
  'run.sh': '#!/bin/sh\nnode saver.js\necho never\n',
  'package.json': '{"scripts": {"start": "node saver.js", "nested": "sh -c \\"node saver.js; echo never\\""}}',
};

async function stopped(command: string, stopSignal = 'SIGTERM', graceSeconds = 10): Promise<Probe> {
  const probe = await startProbe(client, { imageId, argv: argvOf(command), files, stopSignal });
  try {
    await probe.sees('up');
    await probe.stop(graceSeconds);
  } catch (error) {
    await probe.remove();
    throw error;
  }
  return probe.end();
}

// These mostly wait.
describe('the stop signal', { concurrency: 4 }, () => {
  for (const [what, command] of [
    ['an interpreter', 'node saver.js'],
    ['npm start', 'npm start'],
    ['npm with a nested shell', 'npm run nested'],
    ['a script', './run.sh'],
    ['a shell that is a program itself', 'sh run.sh'],
    ['a nested shell', "sh -c 'node saver.js; echo never'"],
    ['&&', 'true && node saver.js && echo never'],
    ['a loop', 'while true; do node saver.js; done'],
    ['background and wait', 'node saver.js & wait'],
    ['exec of a parent', 'cd . && exec npm start'],
  ] as const) {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      test(`${what} finishes its work after ${signal}`, async () => {
        const { output } = await stopped(command, signal);
        assert.match(output, new RegExp(`got ${signal}`));
        assert.equal(output.match(/^saved$/gm)?.length, 1, output);
        assert.equal(output.match(/^up$/gm)?.length, 1, 'it was started twice');
        assert.doesNotMatch(output, /^never$/m);
      });
    }
  }
});

test('the exit code of a program that ends well is kept after a stop', async () => {
  assert.equal((await stopped('node saver.js')).exitCode, 0);
  assert.equal((await stopped('true && node saver.js')).exitCode, 0);
});

test('a deaf program is killed at the end of grace', async () => {
  const { exitCode } = await stopped('trap "" TERM; echo up; while true; do sleep 0.1; done', 'SIGTERM', 1);
  assert.equal(exitCode, 137);
});

for (const [command, exitCode, output] of [
  ['true', 0, ''],
  ['exit 9', 9, ''],
  ['node -e "process.exit(3)" || exit 4', 4, ''],
  ["sh -c 'kill -9 $$'", 137, ''],
  ["sh -c 'kill -SEGV $$'", 139, ''],
  ['nothing-like-that --x', 127, 'nothing-like-that: command not found\n'],
  ['nothing-like-that; exit 5', 5, 'nothing-like-that: command not found\n'],
  ['./nothing', 127, './nothing: No such file or directory\n'],
  ['/tmp', 126, '/tmp: Is a directory\n'],
  ['./plain.txt', 126, './plain.txt: Permission denied (is the file executable?)\n'],
  ["printf '%s|' 'a  b' \"c'd\" e\\ f '*'", 0, "a  b|c'd|e f|*|"],
  ['echo $# && echo "$HOME"', 0, '0\n/home/bot\n'],
  ['cd /tmp', 0, ''],
  ['sleep 60 & echo main ends', 0, 'main ends\n'],
] as const) {
  test(`${command} ends with ${exitCode}`, async () => {
    const probe = await runProbe(client, { imageId, argv: argvOf(command), files: { 'plain.txt': '' } });
    assert.deepEqual(probe, { output, exitCode });
  });
}

test("a binary of the bot takes the launcher's place", async () => {
  const sleep = await readFile('/bin/sleep');
  const argv = argvOf('./own 60');
  const probe = await startProbe(client, { imageId, argv, files: { own: sleep } });
  try {
    await probe.hasProcesses(['/sbin/docker-init -- /botel/launch exec ./own 60', './own 60']);
    await probe.stop(10);
  } finally {
    await probe.remove();
  }
});

test('the environment arrives byte for byte', async () => {
  const given = [
    'my-var=a b',
    'a.b=1',
    '1=one',
    'quotes="\'`$HOME`$(id)\\',
    'lines=a\nb\n\nc ',
    'empty=',
    'utf=žluťoučký 🤖',
    'IFS=x',
    'UID=7',
    '_=me',
    'SHLVL=5',
    'PWD=/else',
    'BASH_ENV=/home/bot/evil',
    'ENV=/home/bot/evil',
    'BASH_FUNC_node%%=() { echo evil; }',
    'SHELLOPTS=xtrace',
    'POSIXLY_CORRECT=1',
  ];
  const shown = `console.log(JSON.stringify(require('fs').readFileSync('/proc/self/environ', 'latin1')))`;
  const home = { 'show.js': `#!/usr/local/bin/node\n${shown}`, evil: 'echo evil\n' };
  for (const command of ['node show.js', './show.js', 'env node show.js']) {
    const argv = argvOf(command);
    const { output } = await runProbe(client, { imageId, argv, environment: given, files: home });
    const seen = Buffer.from(JSON.parse(output) as string, 'latin1')
      .toString('utf8')
      .split('\0');
    for (const entry of given) assert.ok(seen.includes(entry), `${command}: ${entry}\n${seen.join('\n')}`);
    assert.deepEqual(
      seen.filter((entry) => /^(BOTEL_|OLDPWD)/.test(entry)),
      [],
    );
  }
  const { output } = await runProbe(client, {
    imageId,
    argv: argvOf('true && node show.js'),
    environment: given,
    files: home,
  });
  const seen = Buffer.from(JSON.parse(output) as string, 'latin1')
    .toString('utf8')
    .split('\0');
  // A command text runs in a shell, which keeps variables of its own.
  for (const entry of given.filter((each) => !/^(IFS|_|SHLVL|PWD|SHELLOPTS)=/.test(each))) {
    assert.ok(seen.includes(entry), `${entry}\n${seen.join('\n')}`);
  }
});
