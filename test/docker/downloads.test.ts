// What builds find downloaded: npm packages that Botel fetched after the build of another bot, Go
// modules and wheels that the operator put there. The real npm, Go and pip, cut off from what is
// not there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { wheel, zip } from './archives.ts';
import { createBot, storedTexts, waitForBot, waitForLine } from './bots.ts';
import { startDockerServer } from './fixture.ts';

const server = await startDockerServer({ BOTEL_DOWNLOAD_CACHE_MB: '100' });
after(() => server[Symbol.asyncDispose]());
const { client } = server;
const downloads = join(server.directory, 'downloads');
const buildDeadlineMs = 180_000;
/** Nothing listens there. */
const cutOff = 'registry=http://127.0.0.1:1/\nfetch-retries=0\n';

/** Starts a bot and waits until it printed a line, which only a built one does. */
async function startUntil(id: string, text: string): Promise<void> {
  await client.lifecycle('start', id);
  const { status, last_exit } = await waitForBot(
    client,
    id,
    ({ status }) => status === 'online' || status === 'offline',
    buildDeadlineMs,
  );
  assert.equal(status, 'online', JSON.stringify(last_exit));
  await waitForLine(client, id, (line) => line.stream === 'stdout' && line.text === text);
}

/** package.json and the lock file that npm makes for these dependencies, with the addresses of
 * packages. */
async function npmProject(dependencies: Record<string, string>): Promise<Record<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'botel-lock-'));
  const packageJson = JSON.stringify({ name: 'bot', version: '1.0.0', dependencies });
  writeFileSync(join(directory, 'package.json'), packageJson);
  const options = ['--package-lock-only', '--no-audit', '--no-fund', '--omit-lockfile-registry-resolved=false'];
  await promisify(execFile)('npm', ['install', ...options], { cwd: directory });
  const lock = readFileSync(join(directory, 'package-lock.json'), 'utf8');
  rmSync(directory, { recursive: true });
  const index = `console.log(typeof require('discord.js').Client, require('fs').existsSync('/botel/downloads'));
    setInterval(() => {}, 1000);`;
  return { 'package.json': packageJson, 'package-lock.json': lock, 'index.js': index };
}

function packagesIn(lock = ''): number {
  const { packages } = JSON.parse(lock) as { packages: Record<string, { integrity?: string }> };
  return new Set(Object.values(packages).flatMap(({ integrity }) => integrity ?? [])).size;
}

function keptFiles(): number {
  const root = join(downloads, 'nodejs/_cacache/content-v2/sha512');
  if (!existsSync(root)) return 0;
  return readdirSync(root, { recursive: true }).filter((path) => /^..\/..\/./.test(String(path))).length;
}

describe('nodejs', () => {
  test('the second bot with a lock file builds without the registry', async () => {
    const files = await npmProject({ 'discord.js': '14.16.3' });
    const count = packagesIn(files['package-lock.json']);
    assert.ok(count > 10);

    const alone = await createBot(client, { command: 'node index.js', files: { ...files, '.npmrc': cutOff } });
    await client.lifecycle('start', alone);
    await waitForBot(client, alone, ({ status_reason }) => status_reason === 'build_failed', buildDeadlineMs);
    await client.lifecycle('kill', alone);
    assert.equal(keptFiles(), 0, 'the bots before downloaded nothing that others get');

    const first = await createBot(client, { command: 'node index.js', files });
    await startUntil(first, 'function false');
    await server.server.runTask('fill-downloads');
    await server.server.runTask('fill-downloads');
    assert.equal(keptFiles(), count);

    const second = await createBot(client, { command: 'node index.js', files: { ...files, '.npmrc': cutOff } });
    await startUntil(second, 'function false');
    const [said] = await storedTexts(client, second, { stream: 'build' });
    assert.equal(said, `${count} of ${count} packages are there already`);

    const more = await npmProject({ 'discord.js': '14.16.3', 'is-number': '7.0.0' });
    const other = await createBot(client, { command: 'node index.js', files: { ...more, '.npmrc': cutOff } });
    await client.lifecycle('start', other);
    await waitForBot(client, other, ({ status_reason }) => status_reason === 'build_failed', buildDeadlineMs);
    for (const id of [alone, first, second, other]) await client.deleteBot(id, true);
  });

  test('a build can neither write to the downloads nor list them', async () => {
    const attempts = [
      'ls /botel/downloads/_cacache',
      'ls /botel/downloads/_cacache/content-v2/sha512',
      'touch /botel/downloads/x',
      'touch /botel/downloads/_cacache/content-v2/sha512/x',
      'rm -f /botel/downloads/take',
      'echo x >> /botel/downloads/take',
    ];
    const { id } = await client.createBot({
      name: 'intruder',
      language: 'nodejs',
      memory: 128,
      startup_command: 'node index.js',
      build_command:
        attempts.map((attempt) => `(${attempt}) 2>/dev/null && echo "it can: ${attempt}";`).join(' ') + ' echo tried',
    });
    await client.writeFile(id, 'index.js', 'console.log("up"); setInterval(() => {}, 1000)');
    await startUntil(id, 'up');
    assert.deepEqual(await storedTexts(client, id, { stream: 'build' }), ['tried']);
    await client.deleteBot(id, true);
  });
});

test('go: a module that the operator put there, checked by go.sum', async () => {
  const [module, version] = ['example.com/greet', 'v1.0.0'];
  const files = {
    [`${module}@${version}/go.mod`]: `module ${module}\n`,
    [`${module}@${version}/greet.go`]: 'package greet\n\nfunc Hello() string { return "hello" }\n',
  };
  const folder = join(downloads, 'go', module, '@v');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${version}.info`), JSON.stringify({ Version: version, Time: '2026-01-01T00:00:00Z' }));
  writeFileSync(join(folder, `${version}.mod`), `module ${module}\n`);
  writeFileSync(join(folder, `${version}.zip`), await zip(files));
  const project = {
    'go.mod': `module example.com/bot\n\ngo 1.24\n\nrequire ${module} ${version}\n`,
    'main.go': `package main
import ("${module}"; "fmt"; "time")
func main() { fmt.Println(greet.Hello()); for { time.Sleep(time.Second) } }
`,
  };
  const sum = (hash: string) =>
    `${module} ${version} ${hash}\n${module} ${version}/go.mod ${goHash({ 'go.mod': `module ${module}\n` })}\n`;
  const bot = { language: 'go', command: './bot', memory: 256 } as const;
  const good = await createBot(client, { ...bot, files: { ...project, 'go.sum': sum(goHash(files)) } });
  await startUntil(good, 'hello');
  const wrong = await createBot(client, { ...bot, files: { ...project, 'go.sum': sum(goHash({ other: '' })) } });
  await client.lifecycle('start', wrong);
  const failed = await waitForBot(
    client,
    wrong,
    ({ status_reason }) => status_reason === 'build_failed',
    buildDeadlineMs,
  );
  assert.match(failed.last_exit?.last_lines.join('\n') ?? '', /checksum mismatch/);
  for (const id of [good, wrong]) await client.deleteBot(id, true);
});

/** The hash of a module's files in go.sum. */
function goHash(files: Record<string, string>): string {
  const digest = (text: string) => createHash('sha256').update(text);
  const lines = Object.keys(files)
    .toSorted()
    .map((name) => `${digest(files[name] ?? '').digest('hex')}  ${name}\n`);
  return `h1:${digest(lines.join('')).digest('base64')}`;
}

test('python: a wheel that the operator put there', async () => {
  writeFileSync(join(downloads, 'python/greeter-1.0-py3-none-any.whl'), await wheel('hello'));
  const id = await createBot(client, {
    language: 'python',
    command: 'python bot.py',
    files: {
      'requirements.txt': '--no-index\ngreeter==1.0\n',
      'bot.py': 'import greeter, time\nprint(greeter.greeting)\nwhile True: time.sleep(1)\n',
    },
  });
  await startUntil(id, 'hello');
  await client.deleteBot(id, true);
});
