// Sources of images, tested against a small server in the engine's place.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { languages } from '@botel/contract/vocabulary';
import { languageDefinitions } from '../../../core/domain/languages/languages.ts';
import { DockerClient } from './client.ts';
import { nodeRuntimeVersion } from './node-runtime.ts';
import { RuntimeImages } from './runtime-images.ts';
import { SharedWork } from './shared-work.ts';
import { removeAbandonedWork } from './work-directory.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-runtime-images-'));
after(() => rm(directory, { recursive: true, force: true }));
const imagesDirectory = join(import.meta.dirname, '../../../../../../images');
let engines = 0;

type Pull = (response: ServerResponse) => void;

/**
 * An engine that knows images by name, pulls by `pull` and builds whatever it is given; `calls`
 * lists the requests.
 */
async function fakeEngine(pull: Pull, known = new Set<string>()) {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://engine');
    const path = url.pathname.replace(/^\/v[\d.]+/, '');
    if (path === '/version') return response.end('{"ApiVersion":"1.41","MinAPIVersion":"1.12"}');
    if (path === '/images/create') {
      calls.push(`pull ${url.searchParams.get('fromImage')}:${url.searchParams.get('tag')}`);
      return pull(response);
    }
    if (path === '/build') {
      const context = await text(request);
      const base = JSON.parse(url.searchParams.get('buildargs') ?? '').BASE;
      calls.push(`build on ${base} ${context.includes('runtime/bin/node') ? 'with node' : ''}`.trim());
      known.add(url.searchParams.get('t') ?? '');
      return response.end('{"stream":"Step 1/5"}\n{"stream":"Successfully built"}\n');
    }
    const tag = path.replace(/^\/images\/(.*)\/json$/, '$1');
    if (known.has(tag) || tag.startsWith('botel/base')) return response.end(JSON.stringify({ Id: `id of ${tag}` }));
    response.writeHead(404).end('{"message":"no such image"}');
  });
  const socket = join(directory, `${++engines}.sock`);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const client = new DockerClient(`unix://${socket}`);
  const close = async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  };
  return { client, calls, close };
}

function imagesOf(client: DockerClient, source: 'auto' | 'pull' | 'build') {
  return new RuntimeImages({
    client,
    source,
    imagesDirectory,
    cacheDirectory: join(directory, 'cache'),
    extraCaFile: '',
  });
}

const noRegistry: Pull = (response) => response.writeHead(500).end('{"message":"no such host"}');
const goodRegistry: Pull = (response) =>
  response.end('{"status":"Pulling from node"}\n{"status":"Download complete"}\n');

test('auto pulls the official image where a registry answers, and only adds to it', async () => {
  const { client, calls, close } = await fakeEngine(goodRegistry);
  const texts: string[] = [];
  const id = await imagesOf(client, 'auto').prepare('nodejs', '24', (each) => texts.push(each));
  assert.match(id, /^id of botel\/nodejs:24-[0-9a-f]{12}$/);
  assert.deepEqual(calls, ['pull node:24-trixie-slim', 'build on node:24-trixie-slim']);
  assert.match(
    texts.join('\n'),
    /^Pulling the nodejs 24 image \(first use on this machine\)\nPulling .*: done in \d+ s$/,
  );
  await close();
});

test('official images are those of the version; every Node.js version has a release to build it of', async () => {
  for (const language of languages) {
    const { versions, image } = languageDefinitions[language];
    for (const version of versions)
      if (image.officialImage) assert.match(image.officialImage(version), new RegExp(`:${version}-`));
  }
  for (const version of languageDefinitions.nodejs.versions) {
    assert.match(await nodeRuntimeVersion(version), new RegExp(`^node ${version}\\.\\d+\\.\\d+ `));
  }
});

test('versions of a language are images of their own', async () => {
  const { client, calls, close } = await fakeEngine(goodRegistry);
  const images = imagesOf(client, 'pull');
  assert.match(await images.prepare('java', '25', () => {}), /^id of botel\/java:25-/);
  assert.match(await images.prepare('java', '21', () => {}), /^id of botel\/java:21-/);
  const official = 'eclipse-temurin:21-jdk';
  assert.deepEqual(calls.slice(2), [`pull ${official}`, `build on ${official}`]);
  await close();
});

test('a language without an official image is built on Debian, and no registry is asked', async (t) => {
  t.mock.property(languageDefinitions.go.image, 'officialImage', null);
  const { client, calls, close } = await fakeEngine(goodRegistry);
  await assert.rejects(
    imagesOf(client, 'pull').prepare('go', '1.24', () => {}),
    { message: 'The go 1.24 image could not be pulled: there is no official one' },
  );
  await imagesOf(client, 'auto').prepare('go', '1.24', () => {});
  assert.equal(calls.length, 1);
  assert.match(calls[0] ?? '', /^build on botel\/base:/);
  await close();
});

test('auto builds where no registry answers, and does not ask again for a while', async () => {
  const { client, calls, close } = await fakeEngine(noRegistry);
  const images = imagesOf(client, 'auto');
  await images.prepare('python', '3.13', () => {});
  await images.prepare('rust', '1.85', () => {});
  assert.equal(calls.length, 3, calls.join('\n'));
  assert.equal(calls[0], 'pull python:3.13-slim-trixie');
  assert.match(calls[1] ?? '', /^build on botel\/base:[0-9a-f]{12}$/);
  assert.match(calls[2] ?? '', /^build on botel\/base:/);
  await close();
});

test('a pull that breaks off half-way is no image', async () => {
  const { client, calls, close } = await fakeEngine((response) => {
    response.end('{"status":"Pulling"}\n{"error":"toomanyrequests"}\n');
  });
  await imagesOf(client, 'auto').prepare('go', '1.24', () => {});
  assert.match(calls.at(-1) ?? '', /^build on botel\/base/);
  await assert.rejects(
    imagesOf(client, 'pull').prepare('java', '25', () => {}),
    {
      message: 'The java 25 image could not be pulled: toomanyrequests',
    },
  );
  await close();
});

test('pull never builds', async () => {
  const { client, calls, close } = await fakeEngine(noRegistry);
  const images = imagesOf(client, 'pull');
  await assert.rejects(
    images.prepare('go', '1.24', () => {}),
    /could not be pulled: no such host/,
  );
  assert.deepEqual(calls, ['pull golang:1.24-trixie']);
  await close();
});

test('parallel callers share the work, and a present image needs none', async () => {
  const { client, calls, close } = await fakeEngine(goodRegistry);
  const images = imagesOf(client, 'auto');
  const texts: string[][] = [[], [], []];
  const ids = await Promise.all(texts.map((list) => images.prepare('python', '3.13', (each) => list.push(each))));
  assert.equal(new Set(ids).size, 1);
  assert.equal(calls.length, 2);
  assert.ok(texts.every((list) => list.at(-1)?.includes('done in')));
  assert.equal(await images.prepare('python', '3.13', () => assert.fail('nothing to tell')), ids[0]);
  assert.equal(await images.find('python', '3.13'), ids[0]);
  assert.equal(calls.length, 2);
  await close();
});

test('close ends what is under way', async () => {
  const asked = Promise.withResolvers<void>();
  const { client, close } = await fakeEngine(() => asked.resolve());
  const images = imagesOf(client, 'auto');
  const prepared = images.prepare('python', '3.13', () => {});
  await asked.promise;
  await images.close();
  await assert.rejects(prepared, { code: 'unavailable', message: 'Botel is stopping' });
  await close();
});

test('authorities of the operator change the image and are in its context', async () => {
  const { client, close } = await fakeEngine(goodRegistry);
  const plain = await imagesOf(client, 'auto').prepare('python', '3.13', () => {});
  const extraCaFile = join(directory, 'own.pem');
  await writeFile(extraCaFile, rootCertificates[0] ?? '');
  const cacheDirectory = join(directory, 'cache');
  const trusting = new RuntimeImages({ client, source: 'auto', imagesDirectory, cacheDirectory, extraCaFile });
  assert.notEqual(await trusting.prepare('python', '3.13', () => {}), plain);
  await close();
});

test('work of dead processes is removed, that of living ones stays', async () => {
  const parent = join(directory, 'work');
  for (const name of [`${process.pid}-abc`, '999999999-dead', 'odd'])
    await mkdir(join(parent, name), { recursive: true });
  await removeAbandonedWork(parent);
  assert.deepEqual(await readdir(parent), [`${process.pid}-abc`]);
  await removeAbandonedWork(join(directory, 'not there'));
});

test('who joins late hears where the work is; finished work is done anew', async () => {
  const shared = new SharedWork();
  const heard: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = shared.run(
    'a',
    () => {},
    async (progress) => {
      progress('half-way');
      await gate.promise;
      return 'one';
    },
  );
  const second = shared.run(
    'a',
    (each) => heard.push(each),
    () => assert.fail('it is under way'),
  );
  gate.resolve();
  assert.deepEqual([await first, await second, heard], ['one', 'one', ['half-way']]);
  assert.equal(
    await shared.run(
      'a',
      () => {},
      async () => 'two',
    ),
    'two',
  );
});
