// Makes every runtime image on the real engine (cold: about a minute and a half) and looks at it as
// a bot would. The images stay, as they do on any machine.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Language, languages } from '@botel/contract/vocabulary';
import { RuntimeImages } from '../../packages/server/src/agent/engine/docker/runtime-images.ts';
import { languageDefinitions } from '../../packages/server/src/core/domain/languages/languages.ts';
import { openDocker, runProbe } from './probe.ts';

const client = openDocker();
const cacheDirectory = await mkdtemp(join(tmpdir(), 'botel-images-'));
after(async () => {
  await client.close();
  await rm(cacheDirectory, { recursive: true, force: true });
});

const imagesDirectory = join(import.meta.dirname, '../../images');
const options = { client, imagesDirectory, cacheDirectory, extraCaFile: '' };
const images = new RuntimeImages({ ...options, source: 'auto' });

/** What tells the versions, and what it prints. */
const interpreters: Record<Language, { command: string; expected: RegExp }> = {
  nodejs: { command: 'node --version && npm --version', expected: /^v24\.\d+\.\d+\n11\.\d+/ },
  python: {
    command: 'python --version && pip --version && python -m venv .venv',
    expected: /^Python 3\.13\.\d+\npip 25/,
  },
  java: { command: 'java --version && javac --version', expected: /^openjdk 25[\s\S]*\njavac 25/ },
  go: { command: 'go version && git --version', expected: /^go version go1\.24[\s\S]*git version/ },
  rust: { command: 'rustc --version && cargo --version && gcc --version', expected: /^rustc 1\.85[\s\S]*cargo 1\.85/ },
};

for (const language of languages) {
  const version = languageDefinitions[language].versions[0];

  test(`the ${language} image is made once and found again`, async () => {
    const texts: string[] = [];
    const prepared = await Promise.all([
      images.prepare(language, version, (text) => texts.push(text)),
      images.prepare(language, version, () => {}),
    ]);
    assert.match(prepared[0], /^sha256:[0-9a-f]{64}$/);
    assert.equal(prepared[1], prepared[0]);
    assert.equal(await images.find(language, version), prepared[0]);
    assert.ok(texts.length === 0 || /: done in \d+ s$/.test(texts.at(-1) ?? ''), texts.join('\n'));

    const again: string[] = [];
    assert.equal(await images.prepare(language, version, (text) => again.push(text)), prepared[0]);
    assert.deepEqual(again, []);
  });

  test(`a ${language} bot without rights finds its interpreter, home and language settings`, async () => {
    const imageId = await images.find(language, version);
    assert.ok(imageId);
    const { command, expected } = interpreters[language];
    const look = 'echo "$HOME $LANG $(pwd) $(id -u)"; touch /x 2>&1; touch here /tmp/there && echo written; ls /botel';
    const probe = await runProbe(client, { imageId, argv: ['/bin/bash', '-c', `${command} 2>&1; ${look}`] });
    assert.match(probe.output, expected);
    assert.match(probe.output, /\n\/home\/bot C\.UTF-8 \/home\/bot 100001\n/);
    assert.match(probe.output, /Read-only file system\nwritten\nlaunch\n$/);
    assert.equal(probe.exitCode, 0);
  });
}

test('the images keep no package lists and no temporary files', async () => {
  for (const language of languages) {
    const imageId = await images.find(language, languageDefinitions[language].versions[0]);
    assert.ok(imageId);
    const left = 'find /var/lib/apt/lists /var/cache/apt -type f ! -name lock 2>/dev/null; true';
    assert.equal((await runProbe(client, { imageId, argv: ['/bin/sh', '-c', left] })).output, '');
  }
  assert.deepEqual(
    (await readdir(cacheDirectory, { recursive: true })).filter((name) => /^work\/./.test(name)),
    [],
  );
});

test('a version that there is no runtime for is refused', async () => {
  await assert.rejects(
    images.prepare('nodejs', '12', () => {}),
    { code: 'refused', message: /no runtime for nodejs 12/ },
  );
  await assert.rejects(images.find('nodejs', '../x'), { code: 'refused' });
});

test('an image that can be neither pulled nor built is refused with the reason', async (t) => {
  const broken = join(cacheDirectory, 'broken');
  await cp(imagesDirectory, broken, { recursive: true });
  await writeFile(join(broken, 'python/Dockerfile'), 'ARG BASE\nFROM ${BASE}\nRUN echo the reason && exit 7\n');
  const failing = new RuntimeImages({ ...options, imagesDirectory: broken, source: 'build' });
  const texts: string[] = [];
  await assert.rejects(
    failing.prepare('python', '3.13', (text) => texts.push(text)),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, 'refused');
      assert.match(
        error.message,
        /^The python 3\.13 image could not be built: the reason\nA step of its build ended with code 7$/,
      );
      return true;
    },
  );
  t.diagnostic('told as: The python 3.13 image could not be built: the reason');
  assert.match(texts.at(-1) ?? '', /^Building the python 3\.13 image: installing packages/);
  assert.equal(await failing.find('python', '3.13'), null);
});
