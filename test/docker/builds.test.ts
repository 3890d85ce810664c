// Real projects of every language on the real engine: built before the first run, not built again
// while nothing changed, built again when something did; failures, stops and a killed control plane
// in the middle of a build.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { CreateBotInput } from '@botel/contract/bots';
import { containersOf, spawnDockerServer, startDockerServer } from './fixture.ts';
import { wheel, zip } from './archives.ts';
import { linesUntil, startAndWait, storedLog, waitForBot, waitForLine, waitForStatus, waitOnline } from './bots.ts';

const server = await startDockerServer();
after(() => server[Symbol.asyncDispose]());
const { client } = server;
const buildDeadlineMs = 180_000;

type Files = Record<string, string | Uint8Array<ArrayBuffer>>;

interface Project {
  language: NonNullable<CreateBotInput['language']>;
  command: string;
  memory?: number;
  buildCommand?: string;
  files: Files;
}

async function upload(botId: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) await client.writeFile(botId, path, content);
}

async function createProject({ language, command, memory, buildCommand, files }: Project): Promise<string> {
  const { id } = await client.createBot({
    name: `project-${language}`,
    language,
    memory: memory ?? 256,
    startup_command: command,
    build_command: buildCommand,
  });
  await upload(id, files);
  return id;
}

async function builds(botId: string): Promise<number> {
  const lines = await storedLog(client, botId);
  return lines.filter((line) => 'text' in line && line.stream === 'system' && line.text.startsWith('Building: '))
    .length;
}

/** Starts, waits for the line that only a built project prints, stops. */
async function runOnce(botId: string, line: string): Promise<void> {
  const before = (await storedLog(client, botId)).at(-1)?.seq ?? 0;
  await client.lifecycle('start', botId);
  await waitForBot(client, botId, ({ status }) => status === 'online' || status === 'offline', buildDeadlineMs);
  await waitForLine(client, botId, ({ text }) => text === line, { after: before, withinMs: buildDeadlineMs });
  await client.lifecycle('stop', botId);
  await waitForStatus(client, botId, 'offline');
}

/** First start builds, second does not, a change builds again. */
async function checkProject(project: Project, line: string, change: Files, changedLine: string): Promise<void> {
  const id = await createProject(project);
  await runOnce(id, line);
  assert.equal(await builds(id), 1, 'the first start builds');
  await runOnce(id, line);
  assert.equal(await builds(id), 1, 'an unchanged project is not built again');
  await upload(id, change);
  await runOnce(id, changedLine);
  assert.equal(await builds(id), 2, 'a changed project is built again');
  await client.deleteBot(id);
}

/** The lock file that npm itself makes for these dependencies. */
async function lockFile(packageJson: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'botel-lock-'));
  writeFileSync(join(directory, 'package.json'), packageJson);
  await promisify(execFile)('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: directory });
  const lock = readFileSync(join(directory, 'package-lock.json'), 'utf8');
  rmSync(directory, { recursive: true });
  return lock;
}

describe('projects', { concurrency: 2 }, () => {
  test('nodejs: discord.js by its lock file', async () => {
    const packageJson = (dependencies: object) => JSON.stringify({ name: 'bot', version: '1.0.0', dependencies });
    const first = packageJson({ 'discord.js': '14.16.3' });
    const second = packageJson({ 'discord.js': '14.16.3', 'is-number': '7.0.0' });
    const index = `
      const { Client } = require('discord.js');
      let number;
      try { require('is-number'); number = 'yes'; } catch { number = 'no'; }
      console.log('client ' + typeof Client + ', is-number ' + number);
      setInterval(() => {}, 1000);`;
    const lock = await lockFile(first);
    const files = { 'package.json': first, 'package-lock.json': lock, 'index.js': index };
    const change = { 'package.json': second, 'package-lock.json': await lockFile(second) };
    await checkProject(
      { language: 'nodejs', command: 'node index.js', files },
      'client function, is-number no',
      change,
      'client function, is-number yes',
    );
  });

  test('python: requirements that lie beside it, by pip', async () => {
    const files = {
      'requirements.txt': '--no-index\n--find-links ./wheels\ngreeter==1.0\n',
      'wheels/greeter-1.0-py3-none-any.whl': await wheel('hello'),
      'bot.py': 'import greeter, time\nprint(greeter.greeting)\nwhile True: time.sleep(1)\n',
    };
    const change = {
      'requirements.txt': '# changed\n--no-index\n--find-links ./wheels\ngreeter==1.0\n',
      'wheels/greeter-1.0-py3-none-any.whl': await wheel('good evening'),
    };
    await checkProject({ language: 'python', command: 'python bot.py', files }, 'hello', change, 'good evening');
  });

  test('java: several sources and a vendored jar', async () => {
    const greeter = (name: string) => `class Greeter { static String name() { return "${name}"; } }`;
    const files = {
      'src/Bot.java': `
        public class Bot {
          public static void main(String[] args) throws Exception {
            try (var in = Bot.class.getResourceAsStream("/greeting.txt")) {
              System.out.println(new String(in.readAllBytes()) + " " + Greeter.name());
            }
            Thread.sleep(Long.MAX_VALUE);
          }
        }`,
      'src/Greeter.java': greeter('guest'),
      'lib/greeting.jar': await zip({ 'META-INF/MANIFEST.MF': 'Manifest-Version: 1.0\n', 'greeting.txt': 'hello' }),
    };
    const command = 'java -cp "build/classes:lib/*" Bot';
    await checkProject(
      { language: 'java', command, memory: 512, files },
      'hello guest',
      { 'src/Greeter.java': greeter('stranger') },
      'hello stranger',
    );
  });

  test('go: a module with a vendor folder', async () => {
    const main = (punctuation: string) => `package main
import ("example.com/greet"; "fmt"; "time")
func main() { fmt.Println(greet.Hello() + "${punctuation}"); for { time.Sleep(time.Second) } }
`;
    const files = {
      'go.mod': 'module example.com/bot\n\ngo 1.24\n\nrequire example.com/greet v1.0.0\n',
      'main.go': main('.'),
      'vendor/modules.txt': '# example.com/greet v1.0.0\n## explicit; go 1.24\nexample.com/greet\n',
      'vendor/example.com/greet/greet.go': 'package greet\n\nfunc Hello() string { return "hello" }\n',
    };
    await checkProject({ language: 'go', command: './bot', files }, 'hello.', { 'main.go': main('!') }, 'hello!');
  });

  test('rust: a crate with a vendored dependency, in 256 MB', async () => {
    const main = (punctuation: string) => `fn main() {
      println!("{}${punctuation}", greet::hello());
      loop { std::thread::sleep(std::time::Duration::from_secs(1)); }
    }`;
    const files = {
      'Cargo.toml':
        '[package]\nname = "bot"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ngreet = { path = "vendor/greet" }\n',
      'src/main.rs': main('.'),
      'vendor/greet/Cargo.toml': '[package]\nname = "greet"\nversion = "1.0.0"\nedition = "2021"\n',
      'vendor/greet/src/lib.rs': 'pub fn hello() -> &\'static str { "hello" }\n',
    };
    await checkProject(
      { language: 'rust', command: './target/release/bot', files },
      'hello.',
      { 'src/main.rs': main('!') },
      'hello!',
    );
  });
});

const counting = {
  language: 'nodejs',
  command: 'node index.js',
  files: { 'index.js': 'console.log("up"); setInterval(() => {}, 1000)' },
} as const;

test('a failed build: offline with its last lines, no container left, and no run of the bot', async () => {
  const id = await createProject({ ...counting, buildCommand: 'echo compiling; echo "it does not work" >&2; exit 7' });
  await client.lifecycle('start', id);
  const bot = await waitForBot(client, id, ({ status_reason }) => status_reason === 'build_failed');
  assert.equal(bot.last_exit?.reason, 'build_failed');
  assert.equal(bot.last_exit?.code, 7);
  // Two pipes: which of them is read first is not said.
  assert.deepEqual(bot.last_exit?.last_lines.toSorted(), ['compiling', 'it does not work']);
  assert.equal(bot.status, 'offline');
  await client.lifecycle('kill', id);
  await client.deleteBot(id, true);
});

test('stop cancels a build; the phase is seen; its output is a stream of its own', async () => {
  const id = await createProject({ ...counting, buildCommand: 'echo begun; sleep 60' });
  await client.lifecycle('start', id);
  const building = await waitForBot(client, id, ({ phase }) => phase === 'installing');
  assert.equal(building.status, 'starting');
  const line = await waitForLine(client, id, ({ text }) => text === 'begun');
  assert.equal(line.stream, 'build');
  await client.lifecycle('stop', id);
  const stopped = await waitForStatus(client, id, 'offline');
  assert.equal(stopped.last_exit?.reason, 'killed');
  await client.deleteBot(id);
});

test('a build sees no variable of the owner', async () => {
  const id = await createProject({ ...counting, buildCommand: 'env > build-environment' });
  await client.call('POST', '/bots/env/set', { bot_id: id, set: { SECRET_CANARY: 'do-not-tell' } });
  await startAndWait(client, id);
  const seen = await (await client.fetch('GET', `/bots/${id}/files/content?path=build-environment`)).text();
  assert.match(seen, /^HOME=\/home\/bot$/m);
  assert.ok(!seen.includes('SECRET_CANARY') && !seen.includes('do-not-tell'));
  await client.deleteBot(id, true);
});

test('reinstall builds an offline bot from scratch and leaves it offline', async () => {
  const id = await createProject({ ...counting, buildCommand: 'echo b >> builds' });
  await startAndWait(client, id);
  await client.lifecycle('stop', id);
  await waitForStatus(client, id, 'offline');
  const answer = await client.call<{ status: string }>('POST', '/bots/reinstall', { bot_id: id });
  assert.deepEqual([answer.data, answer.message], [{ status: 'offline' }, 'Bot "project-nodejs" is being reinstalled']);
  await linesUntil(client, id, ({ run, text }) => run === 3 && text.startsWith('Built in '));
  assert.equal((await client.bot(id)).status, 'offline');
  await startAndWait(client, id);
  const count = await (await client.fetch('GET', `/bots/${id}/files/content?path=builds`)).text();
  assert.equal(count, 'b\nb\n');
  await client.deleteBot(id, true);
});

test('kill -9 of the control plane in the middle of a build: it goes on, once, and the bot comes up', async () => {
  await using child = await spawnDockerServer();
  const { id } = await child.client.createBot({
    name: 'long-build',
    language: 'nodejs',
    memory: 256,
    startup_command: 'node index.js',
    build_command: 'echo b >> builds; echo begun; sleep 4; echo done',
  });
  await child.client.writeFile(id, 'index.js', counting.files['index.js']);
  await child.client.lifecycle('start', id);
  await waitForLine(child.client, id, ({ text }) => text === 'begun');
  await child.kill('SIGKILL');
  assert.equal((await containersOf(child.engine, child.installId)).length, 1);
  await child.restart();
  await waitOnline(child.client, id);
  const lines = await linesUntil(child.client, id, ({ text }) => text === 'up');
  const output = lines.filter(({ stream }) => stream !== 'system').map(({ text }) => text);
  assert.deepEqual(output, ['begun', 'done', 'up']);
  const count = await (await child.client.fetch('GET', `/bots/${id}/files/content?path=builds`)).text();
  assert.equal(count, 'b\n');
});

test('a server that takes its bots down in the middle of a reinstall begins it again', async () => {
  await using child = await spawnDockerServer({ BOTEL_BOTS_ON_EXIT: 'stop' });
  const { id } = await child.client.createBot({
    name: 'long-build',
    language: 'nodejs',
    memory: 256,
    startup_command: 'node index.js',
    build_command: 'echo b >> builds; echo begun; until [ -e go ]; do sleep 0.1; done',
  });
  await child.client.call('POST', '/bots/reinstall', { bot_id: id });
  await waitForLine(child.client, id, ({ text }) => text === 'begun');
  await child.kill('SIGTERM');
  assert.equal((await containersOf(child.engine, child.installId)).length, 0);
  await child.restart();
  await waitForLine(child.client, id, ({ run, text }) => run === 2 && text === 'begun');
  await child.client.writeFile(id, 'go', '');
  await waitForLine(child.client, id, ({ run, text }) => run === 2 && text.startsWith('Built in '));
  const bot = await child.client.bot(id);
  assert.deepEqual([bot.status, bot.last_exit?.reason], ['offline', 'interrupted']);
});
