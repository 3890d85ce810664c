// What is read of a project before its build.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFiles } from '../../../test/support/files-fixture.ts';
import { Projects } from './projects.ts';

const skip = new Set(['node_modules']);

test('names of the root, and beginnings of those files that are asked for and are there', async (t) => {
  const { homes, bot, home } = makeFiles(t);
  await homes.prepare(bot);
  writeFileSync(join(home, 'package.json'), '{"name":"ä"}');
  writeFileSync(join(home, 'yarn.lock'), 'x'.repeat(5000));
  mkdirSync(join(home, 'pyproject.toml'));
  const texts = new Map([
    ['package.json', 100],
    ['yarn.lock', 10],
    ['pyproject.toml', 10],
    ['pnpm-lock.yaml', 10],
  ]);
  assert.deepEqual(await new Projects(homes).inspect(bot.id, texts), {
    names: new Set(['package.json', 'yarn.lock', 'pyproject.toml']),
    texts: new Map([
      ['package.json', '{"name":"ä"}'],
      ['yarn.lock', 'xxxxxxxxxx'],
    ]),
  });
});

test('a fingerprint changes with its inputs and sources, and with nothing else', async (t) => {
  const { homes, bot, home } = makeFiles(t);
  await homes.prepare(bot);
  for (const folder of ['src/deep', 'lib', 'node_modules']) mkdirSync(join(home, folder), { recursive: true });
  const covered = { inputs: ['package.json'], sources: ['.ts', 'pom.xml', 'src/'], skip };
  const projects = new Projects(homes);
  const seen = new Set<string>();
  /** Whether the fingerprint has not occurred before. */
  const isNew = async () => {
    const print = await projects.fingerprint(bot.id, covered);
    return seen.size < seen.add(print).size;
  };
  await isNew();
  for (const path of ['package.json', 'a.ts', 'lib/a.ts', 'lib/pom.xml', 'src/a.txt', 'src/deep/b.txt']) {
    for (const text of ['1', '2']) {
      writeFileSync(join(home, path), text);
      assert.equal(await isNew(), true, path);
      assert.equal(await isNew(), false, path);
    }
    rmSync(join(home, path));
    assert.equal(await isNew(), false, `as it was before ${path}`);
  }
  for (const path of ['data.json', 'lib/src', 'a.tsx', 'node_modules/a.ts', 'pom.xml.bak']) {
    writeFileSync(join(home, path), 'x');
    assert.equal(await isNew(), false, path);
  }
});
