// The cache against a loopback registry that misbehaves in every way: it keeps only files with the
// right hash, within the limit, and builds may open files but not list them.
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { NpmRegistry } from './npm-registry.ts';
import { TarballCache } from './tarball-cache.ts';

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;
type Answer = (response: ServerResponse, request: IncomingMessage) => void;

function sha512(bytes: string | Buffer): string {
  const hash: Hash = createHash('sha512');
  return hash.update(bytes).digest('hex');
}

/** A registry that answers by path, and a cache filled from it. */
async function setUp(
  t: TestContext,
  answers: Record<string, Answer>,
  options: { bytesMax?: number; timeoutMs?: number } = {},
) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answers[(request.url ?? '').slice('/npm/'.length)];
    if (answer) answer(response, request);
    else response.writeHead(404).end('not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
  const root = mkdtempSync(join(tmpdir(), 'botel-downloads-'));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(root, { recursive: true });
  });
  const { timeoutMs } = options;
  const registry = new NpmRegistry({ url, authorities: async () => [], timeoutMs });
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const directory = join(root, 'nodejs');
  mkdirSync(directory);
  const open = (bytesMax = options.bytesMax ?? 10 * mebibyte) =>
    TarballCache.open({ directory, incoming: join(root, 'incoming'), bytesMax, registry, clock });
  const fileOf = (digest: string) =>
    join(directory, '_cacache/content-v2/sha512', digest.slice(0, 2), digest.slice(2, 4), digest.slice(4));
  return { url, asked, root, clock, registry, open, fileOf, cache: await open() };
}

function filesIn(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const sends =
  (body: string | Buffer): Answer =>
  (response) =>
    response.end(body);

test('a package is kept where npm looks for it, to be opened by its hash and not to be listed', async (t) => {
  const { cache, asked, fileOf, root } = await setUp(t, { '@a/b/-/b-1.tgz': sends('bytes') });
  const digest = sha512('bytes');
  assert.equal(cache.has(digest), false);
  assert.deepEqual(await cache.fetch({ digest, path: '@a/b/-/b-1.tgz' }, never), { kind: 'stored', bytes: 5 });
  assert.equal(cache.has(digest), true);
  const file = fileOf(digest);
  assert.equal(readFileSync(file, 'utf8'), 'bytes');
  assert.equal(lstatSync(file).mode & 0o777, 0o444);
  for (const folder of ['..', '../..', '../../..', '../../../..', '../../../../..'])
    assert.equal(lstatSync(join(file, folder)).mode & 0o777, 0o711);
  assert.equal(filesIn(root).length, 1);
  const [{ headers = {} } = {}] = asked;
  assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined]);
});

test('what is not what it should be is refused, and nothing of it is left', async (t) => {
  let elsewhere = 0;
  const { cache, url, root } = await setUp(t, {
    'a/-/wrong.tgz': sends('poison'),
    'a/-/moved.tgz': (response) => response.writeHead(302, { Location: `${url}a/-/elsewhere.tgz` }).end(),
    'a/-/away.tgz': (response) => response.writeHead(301, { Location: 'http://127.0.0.1:1/' }).end(),
    'a/-/elsewhere.tgz': (response) => {
      elsewhere++;
      response.end('bytes');
    },
    'a/-/private.tgz': (response) => response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end(),
    'a/-/encoded.tgz': (response) => response.writeHead(206).end('bytes'),
  });
  const digest = sha512('bytes');
  for (const name of ['wrong', 'moved', 'away', 'private', 'encoded', 'missing'])
    assert.deepEqual(await cache.fetch({ digest, path: `a/-/${name}.tgz` }, never), { kind: 'refused' }, name);
  for (const path of ['../a/-/a.tgz', 'http://127.0.0.1:9/a.tgz', '//127.0.0.1:9/a.tgz', '/etc/passwd'])
    assert.deepEqual(await cache.fetch({ digest, path }, never), { kind: 'refused' }, path);
  assert.equal(elsewhere, 0);
  assert.equal(cache.has(digest), false);
  assert.deepEqual(readdirSync(join(root, 'incoming')), []);
  assert.deepEqual(filesIn(root), []);
});

test('what is too large is refused, whether it is announced or not', async (t) => {
  const large = Buffer.alloc(2 * mebibyte);
  const { cache } = await setUp(
    t,
    {
      'a/-/announced.tgz': (response) => response.writeHead(200, { 'Content-Length': large.length }).end(large),
      'a/-/endless.tgz': (response) => {
        const more = () => {
          while (response.write(large));
        };
        response.on('drain', more);
        more();
      },
    },
    { bytesMax: mebibyte },
  );
  for (const name of ['announced', 'endless'])
    assert.deepEqual(await cache.fetch({ digest: sha512(large), path: `a/-/${name}.tgz` }, never), { kind: 'refused' });
});

test('a registry that is slow, broken or away is asked another time', async (t) => {
  const answers: Record<string, Answer> = {
    'a/-/silent.tgz': () => {},
    'a/-/slow.tgz': (response) => void response.write('byt'),
    'a/-/cut.tgz': (response) => {
      response.writeHead(200, { 'Content-Length': 5 });
      response.write('byt', () => response.destroy());
    },
    'a/-/busy.tgz': (response) => response.writeHead(429).end(),
    'a/-/broken.tgz': (response) => response.writeHead(502).end(),
  };
  const { cache, root, clock } = await setUp(t, answers, { timeoutMs: 200 });
  for (const path of Object.keys(answers))
    assert.deepEqual(await cache.fetch({ digest: sha512('bytes'), path }, never), { kind: 'unreachable' }, path);
  const registry = new NpmRegistry({ url: 'http://127.0.0.1:1/', authorities: async () => [] });
  const [directory, incoming] = [join(root, 'nodejs'), join(root, 'incoming')];
  const alone = await TarballCache.open({ directory, incoming, bytesMax: mebibyte, registry, clock });
  assert.deepEqual(await alone.fetch({ digest: sha512('bytes'), path: 'a/-/a.tgz' }, never), { kind: 'unreachable' });
  assert.deepEqual(readdirSync(incoming), []);
});

test('the end of Botel ends a download', async (t) => {
  const ending = new AbortController();
  const { cache } = await setUp(t, { 'a/-/a.tgz': () => ending.abort() });
  const outcome = await cache.fetch({ digest: sha512('bytes'), path: 'a/-/a.tgz' }, ending.signal);
  assert.deepEqual(outcome, { kind: 'unreachable' });
});

test('what was not used for longest makes room, also after a restart', async (t) => {
  const bodies = ['one', 'two', 'six', 'ten'].map((text) => text.repeat(1000));
  const digests = bodies.map(sha512) as [string, string, string, string];
  const answers = Object.fromEntries(bodies.map((body, index) => [`a/-/${index}.tgz`, sends(body)]));
  const { cache, open, clock, root, fileOf } = await setUp(t, answers, { bytesMax: 9000 });
  const kept = (of: TarballCache) => digests.map((digest) => of.has(digest));
  for (const index of [0, 1, 2]) {
    clock.advance(1000);
    await cache.fetch({ digest: digests[index] as string, path: `a/-/${index}.tgz` }, never);
  }
  assert.deepEqual(kept(cache), [true, true, true, false]);
  clock.advance(1000);
  await cache.use(digests[0]);
  await cache.fetch({ digest: digests[3], path: 'a/-/3.tgz' }, never);
  assert.deepEqual(kept(cache), [true, false, true, true]);
  assert.equal(existsSync(fileOf(digests[1])), false);

  writeFileSync(join(root, 'incoming/half'), 'of a file');
  assert.deepEqual(kept(await open()), [true, false, true, true]);
  assert.deepEqual(readdirSync(join(root, 'incoming')), []);
  assert.deepEqual(kept(await open(6000)), [true, false, false, true]);
  assert.deepEqual(kept(await open(0)), [false, false, false, false]);
  assert.equal(existsSync(fileOf(digests[0])), false);
});

test('an operator may remove files at any time', async (t) => {
  const { cache, root } = await setUp(t, { 'a/-/a.tgz': sends('bytes'), 'b/-/b.tgz': sends('bytes of b') });
  const tarball = { digest: sha512('bytes'), path: 'a/-/a.tgz' };
  await cache.fetch(tarball, never);
  rmSync(join(root, 'nodejs/_cacache'), { recursive: true });
  await cache.use(tarball.digest);
  assert.equal(cache.has(tarball.digest), false);
  assert.deepEqual(await cache.fetch(tarball, never), { kind: 'stored', bytes: 5 });
  assert.deepEqual(await cache.fetch({ digest: sha512('bytes of b'), path: 'b/-/b.tgz' }, never), {
    kind: 'stored',
    bytes: 10,
  });
});

test('the same package twice at once is one file', async (t) => {
  const { cache } = await setUp(t, { 'a/-/a.tgz': sends('bytes') });
  const tarball = { digest: sha512('bytes'), path: 'a/-/a.tgz' };
  const outcomes = await Promise.all([cache.fetch(tarball, never), cache.fetch(tarball, never)]);
  for (const outcome of outcomes) assert.deepEqual(outcome, { kind: 'stored', bytes: 5 });
  assert.equal(cache.has(tarball.digest), true);
});
