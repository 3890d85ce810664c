// A bot's variables arrive in its program byte for byte, whatever is in them and however it is
// started.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { after, before, describe, test } from 'node:test';
import { environmentLimits } from '../../packages/server/src/core/domain/environment.ts';
import { createBot, readText, startAndWait, waitForEnd } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';
import { probes } from './probes/probe.ts';

let server: LocalServer;
before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

const awkward: Record<string, string> = {
  A: '',
  'my.key-1': 'dots and hyphens',
  'a b': 'a space',
  ключ: 'значение 🛎️',
  QUOTES: `'"\`"'`,
  EXPANSIONS: '$HOME ${HOME} $(id) `id` \\$x ~ * ? !! %s',
  LINES: 'one\ntwo\r\n\n\tthree\n',
  EQUALS: '=a=b=',
  SPACES: '  around  ',
  CONTROL: '\x01\x1b[31m\x7f',
  LARGE: 'é'.repeat(30_000),
  IFS: ',;',
  PATH: '/home/bot/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  PORT: '8081',
  // Every byte that text has, and every character of up to two bytes; each plane of the others.
  EVERY: String.fromCodePoint(...Array.from({ length: 0x7ff }, (_, index) => index + 1)),
  PLANES: String.fromCodePoint(...Array.from({ length: 17 }, (_, plane) => plane * 0x10000 + 0xfffd)),
  LONGEST: '\x01'.repeat(environmentLimits.valueBytes),
};
/** Variables that a shell keeps for itself when it has to run the command. */
const shellOwn = ['_', 'SHLVL', 'PWD', 'OLDPWD', 'IFS'];
const botels = ['BOTEL_BOT_ID', 'BOTEL_BOT_NAME', 'BOTEL_RUN', 'TINI_KILL_PROCESS_GROUP'];

const name = fc.oneof(
  fc.stringMatching(/^[a-z_][a-z0-9_]{3,30}$/),
  fc.string({ unit: 'binary', minLength: 2, maxLength: 30 }).map((text) => `k${text.replace(/[=\0]/g, '')}`),
);
const value = fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.replaceAll('\0', ''));
const environments = fc.dictionary(name, value, { minKeys: 40, maxKeys: 60, noNullPrototype: true });

/** With as many bytes as an environment may have, but for a few. */
function filled(environment: Record<string, string>): Record<string, string> {
  const { valueBytes, totalBytes } = environmentLimits;
  const full = { ...environment };
  let left = totalBytes - Object.entries(full).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  for (let index = 1; left > 10; index++) {
    const key = `REST${index}`;
    full[key] = '*'.repeat(Math.min(left - key.length, valueBytes));
    left -= key.length + full[key].length;
  }
  return full;
}

/** What the program saw, by name; a name that comes twice is refused. */
function parse(environ: string): Map<string, string> {
  const seen = new Map<string, string>();
  for (const entry of environ.split('\0').slice(0, -1)) {
    const [key = ''] = entry.split('=', 1);
    assert.ok(!seen.has(key), `${key} comes twice`);
    seen.set(key, entry.slice(key.length + 1));
  }
  return seen;
}

describe('environment', { concurrency: 3 }, () => {
  const commands: [string, string[]][] = [
    ['node variables.js', []],
    ['env node variables.js', []],
    ['true && node variables.js', shellOwn],
  ];
  for (const [command, changed] of commands) {
    test(`byte for byte: ${command}`, async () => {
      const property = fc.asyncProperty(environments, async (random) => {
        const environment = filled({ ...random, ...awkward });
        const id = await createBot(server.client, { command, environment, files: probes('variables.js') });
        await server.client.lifecycle('start', id);
        const { last_exit } = await waitForEnd(server.client, id);
        assert.equal(last_exit?.reason, 'exited', JSON.stringify(last_exit));
        const seen = parse(await readText(server.client, id, 'seen'));
        for (const [key, text] of Object.entries(environment))
          if (!changed.includes(key)) assert.equal(seen.get(key), text, JSON.stringify(key));
        assert.equal(seen.get('BOTEL_BOT_ID'), id);
        assert.equal(seen.get('HOME'), '/home/bot');
        const image = ['HOME', 'HOSTNAME', 'LANG', 'NODE_EXTRA_CA_CERTS'];
        const unknown = [...seen.keys()].filter(
          (key) =>
            !(key in environment || botels.includes(key) || image.includes(key) || key.startsWith('NPM_CONFIG_')),
        );
        assert.deepEqual(
          unknown.filter((key) => !changed.includes(key)),
          [],
        );
      });
      await fc.assert(property, { numRuns: 1, endOnFailure: true });
    });
  }
});

/** Command lines of all processes of the machine. */
function commandLines(): string {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      } catch {
        // It ended meanwhile.
        return '';
      }
    })
    .join('\n');
}

test('a value is in the environment of its container, and in no label, name, argument or process list', async () => {
  const secret = `canary-${randomBytes(12).toString('hex')}`;
  // Through a shell, too: the launcher must not put variables into arguments.
  const id = await createBot(server.client, {
    command: 'true && sleep 600',
    environment: { SECRET: secret },
  });
  await startAndWait(server.client, id);
  const { body } = await server.engine.request('GET', `/containers/bot_${id}/json`);
  const container = body as { Config: { Env: string[] } };
  assert.ok(container.Config.Env.includes(`SECRET=${secret}`));
  const { Env: _, ...config } = container.Config;
  assert.equal(JSON.stringify({ ...container, Config: config }).includes(secret), false);
  assert.equal(commandLines().includes(secret), false);
  const log = await (await server.client.fetch('GET', `/bots/${id}/logs/download`)).text();
  assert.equal(log.includes(secret), false);
});
