// The hint of an end, from what real programs of each language say in a real container.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createBot, type NewBot, waitForEnd } from './bots.ts';
import { startDockerServer } from './fixture.ts';

const server = await startDockerServer();
after(() => server[Symbol.asyncDispose]());
const { client } = server;

const listener = `require('node:net').createServer().listen(3000)`;
const threads =
  'import threading, time\nfor _ in range(1000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()';
const main = 'public static void main(String[] args) {}';
/** The fourth to seventh byte of a class file are its version. */
const newer = `printf '\\000\\000\\000\\130' | dd of=Bot.class bs=1 seek=4 conv=notrunc status=none`;

const cases: [what: string, bot: NewBot, code: string, values: Record<string, unknown>][] = [
  ['nodejs: a package', { command: `node -e "require('discord.js')"` }, 'module_node', { module: 'discord.js' }],
  ['nodejs: the start file', { command: 'node bot.js' }, 'file_missing', { file: 'bot.js' }],
  [
    'nodejs: a port twice',
    { command: 'node bot.js', files: { 'bot.js': `${listener}; ${listener};` } },
    'port_used',
    { port: 3000 },
  ],
  [
    'nodejs: a native module of another system',
    {
      command: `node -e "require('./node_modules/sharp/a.node')"`,
      files: { 'node_modules/sharp/a.node': 'MZ'.repeat(500) },
    },
    'native_module',
    {},
  ],
  ['nodejs: the disk', { command: 'dd if=/dev/zero of=/tmp/full bs=1M count=100' }, 'disk_full', {}],
  [
    'python: a module',
    { language: 'python', command: 'python -c "import discord"' },
    'module_python',
    { module: 'discord' },
  ],
  [
    'python: too many threads',
    { language: 'python', command: 'python bot.py', files: { 'bot.py': threads } },
    'threads',
    { pids_limit: 128 },
  ],
  [
    'java: a jar without a main class',
    { language: 'java', command: 'echo > a && jar cf bot.jar a && java -jar bot.jar' },
    'jar_manifest',
    { file: 'bot.jar' },
  ],
  [
    'java: classes for a newer version',
    {
      language: 'java',
      command: `javac -d . src/Bot.java && ${newer} && java -cp . Bot`,
      files: { 'src/Bot.java': `class Bot { ${main} }` },
    },
    'java_version',
    { java_version: 44, runtime_version: 25 },
  ],
  [
    'go: a package that is not required',
    {
      language: 'go',
      command: 'go run .',
      files: {
        'go.mod': 'module bot\n\ngo 1.24\n',
        'main.go': 'package main\n\nimport _ "example.com/lost"\n\nfunc main() {}\n',
      },
    },
    'module_go',
    { module: 'example.com/lost' },
  ],
  [
    'rust: a crate that is not there',
    {
      language: 'rust',
      command: 'cargo run --offline',
      files: {
        'Cargo.toml': '[package]\nname = "bot"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/main.rs': 'use serenity::all;\nfn main() {}\n',
      },
    },
    'module_rust',
    { module: 'serenity' },
  ],
  ['a command', { command: 'no-such-program --now' }, 'not_found', { command: 'no-such-program' }],
];

describe('a hint', { concurrency: 3 }, () => {
  for (const [what, bot, code, values] of cases) {
    test(what, async () => {
      const id = await createBot(client, bot);
      await client.lifecycle('start', id);
      const { last_exit, next_restart_at } = await waitForEnd(client, id);
      if (next_restart_at) await client.lifecycle('stop', id);
      const { hint } = last_exit ?? {};
      assert.equal(hint?.code, code, last_exit?.last_lines.join('\n'));
      for (const [name, value] of Object.entries(values)) assert.equal(hint?.values[name], value);
      assert.match(hint?.text ?? '', /^[A-Z"].{20,}/);
    });
  }
});
