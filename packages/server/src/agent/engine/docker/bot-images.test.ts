// Images with packages, on a fake HTTP engine: what is built, for which bots, when it is rebuilt,
// and the errors of failures.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test, type TestContext } from 'node:test';
import type { Runtime } from '../../../core/domain/runtime.ts';
import { BotImages } from './bot-images.ts';
import { DockerClient } from './client.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-bot-images-'));
after(() => rm(directory, { recursive: true, force: true }));
const imagesDirectory = join(import.meta.dirname, '../../../../../../images');
const node: Runtime = { language: 'nodejs', version: '24', packages: [] };
const withJq: Runtime = { ...node, packages: ['jq', 'sqlite3'] };
let engines = 0;

/** The parameters of a build. */
interface Build {
  tag: string;
  arguments: Record<string, string>;
  labels: Record<string, string>;
  noCache: boolean;
  context: string;
}

/**
 * An engine that builds with `output` and records calls; it removes images that no other image is
 * based on, except the ids in `used`.
 */
async function fakeEngine(t: TestContext, output = '{"stream":"Successfully built"}\n') {
  const builds: Build[] = [];
  const images = new Map<string, Record<string, string>>();
  const used = new Set<string>();
  const removed: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://engine');
    const path = url.pathname.replace(/^\/v[\d.]+/, '');
    const query = (name: string) => url.searchParams.get(name) ?? '';
    if (path === '/version') return response.end('{"ApiVersion":"1.41","MinAPIVersion":"1.12"}');
    if (path === '/build') {
      const context = await text(request);
      const build = { tag: query('t'), arguments: JSON.parse(query('buildargs')), labels: JSON.parse(query('labels')) };
      builds.push({ ...build, noCache: query('nocache') === 'true', context });
      const { INSTALL, RECIPE } = build.arguments;
      const early = { 'botel.packages.install': INSTALL, 'botel.packages.recipe': RECIPE };
      if (output.includes('"error"')) images.set(`sha256:left-${builds.length}`, early);
      else images.set(`sha256:${build.tag}`, { ...early, ...build.labels });
      return response.end(output);
    }
    if (path === '/images/json') {
      const [wanted = ''] = (JSON.parse(query('filters')) as { label: string[] }).label;
      const [name = '', value] = wanted.split('=');
      const found = [...images].filter(([, labels]) => labels[name] === value).map(([Id]) => ({ Id }));
      return response.end(JSON.stringify(found));
    }
    const name = decodeURIComponent(path.replace(/^\/images\/(.*?)(\/json)?$/, '$1'));
    const id = images.has(name) ? name : `sha256:${name}`;
    const labels = images.get(id);
    if (!labels) return response.writeHead(404).end('{"message":"no such image"}');
    if (request.method !== 'DELETE') return response.end(JSON.stringify({ Id: id, Config: { Labels: labels } }));
    if (used.has(id)) return response.writeHead(409).end('{"message":"in use"}');
    removed.push(id);
    images.delete(id);
    return response.end('[]');
  });
  const socket = join(directory, `${++engines}.sock`);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const client = new DockerClient(`unix://${socket}`);
  t.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, builds, images, used, removed };
}

function imagesOf(client: DockerClient, installId = 'ours', baseOf = () => 'sha256:base') {
  const runtimes = { find: async () => baseOf(), prepare: async () => baseOf(), close: async () => {} };
  return new BotImages({ client, installId, imagesDirectory, runtimes });
}

test('a bot without packages runs in the runtime image itself', async (t) => {
  const { client, builds } = await fakeEngine(t);
  const images = imagesOf(client);
  assert.equal(await images.find(node), 'sha256:base');
  assert.equal(await images.prepare(node, () => assert.fail('nothing to tell')), 'sha256:base');
  assert.deepEqual(builds, []);
});

test('packages are installed once for all who ask; names go as an argument and a label, never into the text', async (t) => {
  const { client, builds } = await fakeEngine(t);
  const images = imagesOf(client);
  assert.equal(await images.find(withJq), null);
  const texts: string[] = [];
  const ids = await Promise.all([1, 2].map(() => images.prepare(withJq, (each) => texts.push(each))));
  const [build] = builds;
  assert.equal(builds.length, 1);
  assert.match(build?.tag ?? '', /^botel\/nodejs-packages:24-[0-9a-f]{12}$/);
  assert.deepEqual(ids, [`sha256:${build?.tag}`, ids[0]]);
  const recipe = build?.tag.slice(-12);
  assert.deepEqual(build?.arguments, { BASE: 'sha256:base', PACKAGES: 'jq sqlite3', INSTALL: 'ours', RECIPE: recipe });
  assert.deepEqual(build?.labels, { 'botel.packages': 'jq sqlite3' });
  const [label = -1, run = -1] = [
    '\nLABEL botel.packages.install=${INSTALL} botel.packages.recipe=${RECIPE}\n',
    '\nRUN ',
  ].map((line) => build?.context.indexOf(line));
  assert.ok(label > 0 && label < run);
  assert.equal(build?.noCache, true);
  assert.ok(build?.context.includes('--no-install-recommends ${PACKAGES}') && !build.context.includes('sqlite3'));
  assert.equal(texts[0], 'Installing jq, sqlite3 into the nodejs 24 image (first use on this machine)');
  assert.match(texts.at(-1) ?? '', /: done in \d+ s$/);
  assert.equal(await images.find(withJq), ids[0]);
  assert.equal(await images.prepare(withJq, () => assert.fail('it is there')), ids[0]);
});

test('another runtime image below, another version, set or install: another image', async (t) => {
  const { client, builds } = await fakeEngine(t);
  let base = 'sha256:base';
  const images = imagesOf(client, 'ours', () => base);
  await images.prepare(withJq, () => {});
  base = 'sha256:newer';
  assert.equal(await images.find(withJq), null);
  await images.prepare(withJq, () => {});
  await images.prepare({ ...withJq, version: '22' }, () => {});
  await images.prepare({ ...withJq, packages: ['jq'] }, () => {});
  await imagesOf(client, 'theirs', () => base).prepare(withJq, () => {});
  assert.equal(new Set(builds.map(({ tag }) => tag)).size, 5);
});

test('what is not a name of a package never reaches the engine', async (t) => {
  const { client, builds } = await fakeEngine(t);
  const images = imagesOf(client);
  for (const name of ['jq;reboot', '-oDpkg::Pre-Invoke::=x', 'jq-', '$(id)', 'a b']) {
    const odd = { ...node, packages: [name] };
    const refused = { code: 'refused', message: `${JSON.stringify(name)} is not the name of a package` };
    await assert.rejects(images.find(odd), refused);
    await assert.rejects(
      images.prepare(odd, () => {}),
      refused,
    );
  }
  assert.deepEqual(builds, []);
});

test('a failure says which packages and why; the next try builds again', async (t) => {
  const output =
    '{"stream":"W: Failed to fetch http://deb.debian.org/debian/dists/trixie/InRelease  Temporary failure resolving"}\n' +
    '{"error":"The command returned a non-zero code: 100"}\n';
  const { client, builds } = await fakeEngine(t, output);
  const images = imagesOf(client);
  for (const count of [1, 2]) {
    await assert.rejects(
      images.prepare(withJq, () => {}),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'refused');
        assert.match(
          error.message,
          /^The packages jq, sqlite3 could not be installed: Debian's packages could not be fetched.*\nW: Failed to fetch/,
        );
        return true;
      },
    );
    assert.equal(builds.length, count);
  }
});

test('what a failed installation leaves behind goes at once, or with the unused images when it can not', async (t) => {
  const {
    client,
    images: known,
    used,
  } = await fakeEngine(t, '{"error":"The command returned a non-zero code: 100"}\n');
  const images = imagesOf(client);
  const fails = () =>
    assert.rejects(
      images.prepare(withJq, () => {}),
      /could not be installed/,
    );
  known.set('sha256:alien', { 'botel.packages.install': 'ours', 'botel.packages.recipe': 'another' });
  await fails();
  assert.deepEqual([...known.keys()], ['sha256:alien']);
  used.add('sha256:left-2');
  await fails();
  assert.deepEqual(await images.list(), ['sha256:alien', 'sha256:left-2']);
  used.clear();
  await images.remove('sha256:left-2');
  assert.deepEqual([...known.keys()], ['sha256:alien']);
});

test('only images that this install made with packages are listed and removed, and none that a container uses', async (t) => {
  const { client, images: known, used, removed } = await fakeEngine(t);
  const ours = imagesOf(client);
  const id = await ours.prepare(withJq, () => {});
  const foreign = await imagesOf(client, 'theirs').prepare(withJq, () => {});
  known.set('sha256:alien', {});
  assert.deepEqual(await ours.list(), [id]);
  for (const other of [foreign, 'sha256:alien']) await assert.rejects(ours.remove(other), { code: 'unmanaged' });
  used.add(id);
  await ours.remove(id);
  assert.deepEqual(removed, []);
  used.clear();
  await ours.remove(id);
  await ours.remove(id);
  assert.deepEqual([removed, await ours.list()], [[id], []]);
});
