// Which packages are fetched for which bots, and when: after builds, in turn, within bounds. The
// cache only counts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Outcome } from '../builds/tarball-cache.ts';
import type { Tarball } from '../../core/domain/npm-lock.ts';
import { type Counts, fillDownloads } from './fill-downloads.ts';

const registry = 'https://registry.npmjs.org/';
const digestOf = (name: string) => createHash('sha512').update(name).digest();

function lockOf(names: string[]): string {
  const entry = (name: string) => ({
    resolved: `${registry}${name}/-/${name}-1.tgz`,
    integrity: `sha512-${digestOf(name).toString('base64')}`,
  });
  return JSON.stringify({ packages: Object.fromEntries(names.map((name) => [`node_modules/${name}`, entry(name)])) });
}

/** Bots by id with the key of their build and the packages of their lock file. */
function setUp() {
  const world = {
    bots: {} as Record<string, { key: string; files: Record<string, string> }>,
    freeBytes: 1e12,
    answer: (_name: string): Outcome => ({ kind: 'stored', bytes: 1 }),
    fetched: [] as string[],
    used: [] as string[],
    read: [] as string[],
    told: [] as Counts[],
  };
  const there = new Set<string>();
  const nameOf = ({ path }: Tarball) => path.split('/')[0] ?? '';
  const cache = {
    has: (digest: string) => there.has(digest),
    use: async (digest: string) => void (there.has(digest) && world.used.push(digest)),
    async fetch(tarball: Tarball) {
      world.fetched.push(nameOf(tarball));
      const outcome = world.answer(nameOf(tarball));
      if (outcome.kind === 'stored') there.add(tarball.digest);
      return outcome;
    },
    freeBytes: async () => world.freeBytes,
  };
  const task = fillDownloads({
    openCache: async () => cache,
    projects: {
      async text(id, name) {
        world.read.push(`${id}/${name}`);
        return world.bots[id]?.files[name] ?? null;
      },
    },
    bots: { built: async () => Object.entries(world.bots).map(([id, { key }]) => ({ id, buildKey: key })) },
    registry,
    platform: { os: 'linux', cpu: 'x64', libc: 'glibc' },
    report: (counts) => world.told.push(counts),
  });
  const bot = (names: string[], key = '1', file = 'package-lock.json') => ({ key, files: { [file]: lockOf(names) } });
  return { world, bot, run: () => task.run() };
}

test('what a built bot needs is fetched once; a lock file is read again after the next build only', async () => {
  const { world, bot, run } = setUp();
  await run();
  world.bots = { one: bot(['a', 'b']), yarn: { key: '1', files: {} } };
  await run();
  await run();
  assert.deepEqual(world.fetched, ['a', 'b']);
  assert.deepEqual(world.told, [{ stored: 2, refused: 0, unreachable: 0, skipped: 0 }]);
  assert.equal(world.read.filter((path) => path === 'one/package-lock.json').length, 1);
  assert.deepEqual(world.used, []);
  world.bots.one = bot(['a', 'c'], '2');
  await run();
  assert.deepEqual(world.fetched, ['a', 'b', 'c']);
  assert.deepEqual(world.used, [digestOf('a').toString('hex')]);
});

test('npm-shrinkwrap.json goes first, as for npm', async () => {
  const { world, bot, run } = setUp();
  const shrinkwrap = bot(['a'], '1', 'npm-shrinkwrap.json').files;
  world.bots = { one: { key: '1', files: { ...bot(['b']).files, ...shrinkwrap } } };
  await run();
  assert.deepEqual(world.fetched, ['a']);
});

test('bots take turns; a run is bounded, and the next goes on', async () => {
  const { world, bot, run } = setUp();
  const many = Array.from({ length: 120 }, (_, index) => `many${index}`);
  world.bots = { many: bot(many), few: bot(['few0', 'few1']) };
  await run();
  assert.deepEqual(world.fetched.slice(0, 4), ['many0', 'few0', 'many1', 'few1']);
  assert.ok(world.fetched.length <= 52);
  await run();
  await run();
  assert.deepEqual(world.fetched.toSorted(), [...many, 'few0', 'few1'].toSorted());
});

test('large packages are bounded by their bytes', async () => {
  const { world, bot, run } = setUp();
  world.answer = () => ({ kind: 'stored', bytes: 50 * 1024 * 1024 });
  world.bots = { one: bot(Array.from({ length: 20 }, (_, index) => `p${index}`)) };
  await run();
  assert.equal(world.fetched.length, 4);
});

test('a package that two bots want is fetched for one', async () => {
  const { world, bot, run } = setUp();
  world.bots = { one: bot(['a', 'b']), two: bot(['a', 'b']) };
  await run();
  assert.deepEqual(world.fetched.toSorted(), ['a', 'b']);
});

test('nothing is asked while the registry is away or the disk is full, nor for a bot that is gone', async () => {
  const { world, bot, run } = setUp();
  const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
  world.bots = { one: bot(names) };
  world.freeBytes = 1e6;
  await run();
  assert.deepEqual(world.fetched, []);
  world.freeBytes = 1e12;
  world.answer = () => ({ kind: 'unreachable' });
  await run();
  assert.equal(world.fetched.length, 4);
  world.answer = () => ({ kind: 'refused' });
  world.bots = {};
  await run();
  assert.equal(world.fetched.length, 4);
});
