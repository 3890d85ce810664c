// Attacks the files of a bot for a while: programs with the bot's user swap entries of its home for
// links, pipes and each other, while callers use every verb of the API on them. The server is real,
// in this process, with the fake engine.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { BotelClient } from '@botel/contract/client';
import { goodBot, startFixture } from '../../packages/server/test/support/fixture.ts';
import { fingerprint, leaksIn, placeCanaries } from './canaries.ts';
import { specialNames, Specials } from './specials.ts';
import { type Verb, verbs } from './verbs.ts';

export interface Report {
  /** Swaps that the attackers made. */
  swaps: number;
  /** By verb, then status: how often. */
  tries: Record<string, Record<string, number>>;
  /** What got out, was changed outside, or failed inside; one line each. [] = the walls hold. */
  escapes: string[];
  /** Longest wait of a bystander for a list of a bot that nobody attacks, ms. */
  slowestMs: number;
}

const callers = 6;
const attackers = 1;
/** Longer than any caller should wait, whatever happens to others. */
const bystanderPatienceMs = 15_000;
/** Of `renameat2`, by processor. */
const exchangeCall: Partial<Record<NodeJS.Architecture, string>> = { x64: '316', arm64: '276' };

const swapped = ['race', 'deep/mid', 'file', 'pipe', 'up'];
const paths = [
  ...swapped,
  'race/f',
  'race/sub',
  'race/sub/f',
  'deep',
  'deep/mid/f',
  'deep/mid/sub/f',
  'up/f',
  ...specialNames,
  'links/f',
  'self/f',
  'fifo/f',
  'copied',
  '',
];

export async function attackFiles(seconds: number): Promise<Report> {
  const rates = Object.fromEntries(
    ['USER', 'LIFECYCLE', 'SIGN_IN', 'PUBLIC'].map((name) => [`BOTEL_RATE_${name}`, '1000000']),
  );
  await using fixture = await startFixture(rates);
  const { client, directory } = fixture;
  const victim = (await client.createBot({ ...goodBot, name: 'victim' })).id;
  const botId = (await client.createBot(goodBot)).id;
  const outside = join(directory, 'outside');
  const { marker } = placeCanaries(outside);
  await client.writeFile(victim, 'f', marker);
  await client.writeFile(victim, 'sub/f', marker);
  await client.writeFile(botId, 'index.js', 'inside');
  const home = join(directory, 'homes', botId);
  const uid = Number(execFileSync('stat', ['-c', '%u', home], { encoding: 'utf8' }));
  await using specials = new Specials(home, uid, outside);
  await specials.place();
  const others = [outside, join(directory, 'homes', victim), join(directory, 'passwd'), join(directory, 'secret.key')];
  const before = others.map(fingerprint);

  const attack = new AbortController();
  const swaps = Array.from({ length: attackers }, () => swapUntil(attack.signal, { home, uid, outside, victim }));
  const report: Report = { swaps: 0, tries: {}, escapes: [], slowestMs: 0 };
  const deadline = performance.now() + seconds * 1000;
  const callersDone = Array.from({ length: callers }, (__, caller) =>
    tryVerbs(report, { client, botId, marker, deadline, caller }),
  );
  const isOver = () => performance.now() > deadline;
  await Promise.all([...callersDone, specials.keep(isOver), watch(report, { client, botId: victim, deadline })]);
  attack.abort();
  for (const count of await Promise.all(swaps)) report.swaps += count;

  for (const [at, lines] of others.map(fingerprint).entries()) {
    const known = new Set(before[at]);
    report.escapes.push(...lines.filter((line) => !known.has(line)).map((line) => `changed outside: ${line}`));
    if (lines.length !== known.size) report.escapes.push(`entries came or went in ${others[at]}`);
  }
  report.escapes.push(...leaksIn(home, uid, marker));
  return report;
}

interface Ground {
  home: string;
  uid: number;
  outside: string;
  victim: string;
}

/** Resolves with the number of swaps. */
async function swapUntil(signal: AbortSignal, { home, uid, outside, victim }: Ground): Promise<number> {
  const call = exchangeCall[process.arch];
  if (!call) throw new Error(`No call to exchange names is known on ${process.arch}`);
  const pairs = [
    ['race', 'race-other', 'folder', join(outside, 'folder')],
    ['deep/mid', 'deep/mid-other', 'folder', `../../../../outside/folder`],
    ['file', 'file-other', 'file', join(outside, 'secret')],
    ['pipe', 'pipe-other', 'file', 'pipe'],
    ['up', 'up-other', 'folder', `../${victim}`],
  ];
  const program = join(import.meta.dirname, 'attacker.pl');
  const child = spawn('perl', [program, call, ...pairs.flat()], {
    cwd: home,
    uid,
    gid: uid,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return Number(await readText(child.stdout));
}

interface Caller {
  client: BotelClient;
  botId: string;
  marker: string;
  deadline: number;
  caller: number;
}

async function tryVerbs(report: Report, { client, botId, marker, deadline, caller }: Caller): Promise<void> {
  const all = Object.entries(verbs) as [string, Verb][];
  let count = caller;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
  const target = {
    client,
    botId,
    pick,
    path: () => pick(paths),
    fresh: () =>
      pick(['race/new', 'race/sub/new', 'deep/mid/new', 'up/new', 'copied', 'file', 'links/new', 'fifo/new']),
  };
  while (performance.now() < deadline) {
    const [name, verb] = all[count++ % all.length] as [string, Verb];
    try {
      const { status, body } = await verb(target);
      const statuses = (report.tries[name] ??= {});
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (body.includes(marker)) report.escapes.push(`${name}: read what is outside`);
      if (status >= 500) report.escapes.push(`${name}: ${status} ${body.toString('utf8', 0, 200)}`);
    } catch (error) {
      report.escapes.push(`${name}: ${error}`);
    }
  }
}

type Bystander = Pick<Caller, 'client' | 'botId' | 'deadline'>;

/** Somebody with another bot, who must not feel it. */
async function watch(report: Report, { client, botId, deadline }: Bystander): Promise<void> {
  while (performance.now() < deadline) {
    const began = performance.now();
    const signal = AbortSignal.timeout(bystanderPatienceMs);
    const answer = await client.fetch('GET', `/bots/${botId}/files`, { signal }).catch((error: Error) => error);
    if (answer instanceof Error) report.escapes.push(`bystander: ${answer}`);
    else if (answer.status !== 200) report.escapes.push(`bystander: ${answer.status}`);
    else await answer.arrayBuffer();
    report.slowestMs = Math.max(report.slowestMs, performance.now() - began);
  }
}
