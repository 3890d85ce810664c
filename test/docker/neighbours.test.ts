// A bot beside others that take all they can get: its timers and its writes to files are about as
// late as without them, and so are answers of the server. What the neighbours do is bounded by the
// kernel; the flood of output by its throttle.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LogTextData } from '@botel/contract/logs';
import { createBot, linesUntil, type NewBot, startAndWait, waitForStatus } from './bots.ts';
import { type ServerProcess, spawnDockerServer } from './fixture.ts';

/** Tells every one and a half seconds how late its timers were, and how long small writes took, in
 * ms. */
const probe = `
const { watch, writeFileSync } = require('node:fs');
const [late, writes] = [[], []];
const part = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
function tick(due) {
  const now = performance.now();
  late.push(now - due);
  writeFileSync('note', String(now));
  writes.push(performance.now() - now);
  if (late.length === 30) {
    const summary = [late, writes].flatMap((values) => [part(values, 0.5), part(values, 0.95)]);
    console.log(JSON.stringify(summary.map((value) => Math.round(value * 10) / 10)));
    late.length = writes.length = 0;
    // Fails where a neighbour took what there is of these.
    watch('.').close();
  }
  setTimeout(tick, 50, performance.now() + 50);
}
tick(performance.now());
`;

const spin = 'while :; do :; done';
const hogs: Record<string, Omit<NewBot, 'name' | 'environment'>> = {
  'a fork bomb': program(`
const { spawn } = require('node:child_process');
setInterval(() => {
  for (let i = 0; i < 20; i++) spawn('sh', ['-c', '${spin}']).on('error', () => {});
}, 10);`),
  'a memory hog': program(`
const { spawnSync } = require('node:child_process');
for (;;) spawnSync(process.execPath, ['-e', 'for (const all = [];;) all.push(Buffer.alloc(1 << 20, 1))']);`),
  'a processor hog': program(`
const { spawn } = require('node:child_process');
for (let i = 0; i < 16; i++) spawn('sh', ['-c', '${spin}']);`),
  'an inotify hog': {
    language: 'python',
    command: 'python main.py',
    memory: 1024,
    files: {
      'main.py': `
import ctypes, os
libc = ctypes.CDLL(None)
instances = []
while True:
    instance = libc.inotify_init()
    if instance < 0:
        break
    instances.append(instance)
for instance in instances:
    libc.inotify_add_watch(instance, b'.', 0xfff)
print(len(instances), 'instances', flush=True)
while True:
    open('noise', 'w').close()
    os.remove('noise')`,
    },
  },
  'a filler of its tmpfs': {
    command: 'while :; do cat /dev/zero > /tmp/all; rm /tmp/all; done 2>/dev/null',
    memory: 1024,
  },
  'a flood of output': { command: 'seq 1000000000', memory: 1024 },
};

/** ms: half and 95 % of the probe's timers and writes were within. */
type Window = [timers50: number, timers95: number, writes50: number, writes95: number];

/** Twice the bot's own measure is allowed, and this much on a busy machine, in ms. */
const floor = 20;
const windows = 3;

let server: ServerProcess;
let probeId: string;
let alone: Window;

before(async () => {
  server = await spawnDockerServer();
  probeId = await createBot(server.client, { command: 'node index.js', files: { 'index.js': probe } });
  await startAndWait(server.client, probeId);
  // The first one has the start of the program in it.
  alone = (await windowsUntil((seen) => seen.length > windows)).at(-1)!;
});
after(() => server[Symbol.asyncDispose]());

for (const [name, hog] of Object.entries(hogs)) {
  test(`beside ${name} a bot is about as quick as alone`, async (t) => {
    const { client } = server;
    const hogId = await createBot(client, hog);
    await startAndWait(client, hogId);
    const isFine = (window: Window) =>
      window.every((value, index) => value <= Math.max(2 * (alone[index] ?? 0), (alone[index] ?? 0) + floor));
    const seen = await windowsUntil((all) => all.length > windows && isFine(median(all.slice(-windows))));
    const health = await slowestOf(20);
    t.diagnostic(
      `beside ${name}: timers and writes (50 %, 95 %): ${median(seen.slice(-windows))} ms, alone ${alone} ms`,
    );
    t.diagnostic(`beside ${name}: the slowest of 20 answers of the server took ${health} ms`);
    await client.lifecycle('kill', hogId);
    await waitForStatus(client, hogId, 'offline');
  });
}

function program(source: string): Omit<NewBot, 'name' | 'environment'> {
  // Two processors and more, where the machine has them.
  return { command: 'node index.js', files: { 'index.js': source }, memory: 1024 };
}

/** What the probe tells from now on, up to the moment when `enough`; rejects after thirty
 * seconds. */
async function windowsUntil(enough: (seen: Window[]) => boolean): Promise<Window[]> {
  const { client } = server;
  const newest = await client.call<{ lines: LogTextData[] }>('GET', `/bots/${probeId}/logs?limit=1`);
  const seen: Window[] = [];
  await linesUntil(
    client,
    probeId,
    ({ stream, text }) => {
      if (stream !== 'stdout') return false;
      seen.push(JSON.parse(text) as Window);
      return enough(seen);
    },
    { after: newest.data.lines.at(-1)?.seq ?? 0, withinMs: 40_000 },
  );
  return seen;
}

function median(all: Window[]): Window {
  return [0, 1, 2, 3].map((index) => {
    const values = all.map((window) => window[index] ?? 0).toSorted((a, b) => a - b);
    return values[Math.floor(values.length / 2)] ?? 0;
  }) as Window;
}

async function slowestOf(count: number): Promise<number> {
  let slowest = 0;
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    assert.equal((await server.client.fetch('GET', '/health')).status, 200);
    slowest = Math.max(slowest, performance.now() - began);
  }
  return Math.round(slowest);
}
