// What is read of a project before its build.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFiles } from '../../../test/support/files-fixture.ts';
import { fingerprintBudget, Projects } from './projects.ts';

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
    const print = await projects.fingerprint(bot.id, covered, t.signal);
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

test('a sparse manifest of 8 TiB is not read: it counts by its size and time', { timeout: 20_000 }, async (t) => {
  const { homes, bot, home } = makeFiles(t);
  await homes.prepare(bot);
  const path = join(home, 'package-lock.json');
  writeFileSync(path, '{}');
  truncateSync(path, 8 * 1024 ** 4);
  const covered = { inputs: ['package-lock.json'], sources: [], skip };
  const projects = new Projects(homes);
  const first = await projects.fingerprint(bot.id, covered, t.signal);
  assert.equal(await projects.fingerprint(bot.id, covered, t.signal), first);
  utimesSync(path, 1, 1);
  const second = await projects.fingerprint(bot.id, covered, t.signal);
  assert.notEqual(second, first);
  truncateSync(path, 4 * 1024 ** 4);
  utimesSync(path, 1, 1);
  assert.notEqual(await projects.fingerprint(bot.id, covered, t.signal), second);
});

test('more sources than the budget count by sizes and times; manifests still count by content', async (t) => {
  const { homes, bot, home } = makeFiles(t);
  await homes.prepare(bot);
  const covered = { inputs: ['package.json'], sources: ['.ts'], skip };
  const write = (name: string, text: string, seconds: number) => {
    writeFileSync(join(home, name), text);
    utimesSync(join(home, name), seconds, seconds);
  };
  const projects = new Projects(homes, { ...fingerprintBudget, bytes: 1000 });
  const print = () => projects.fingerprint(bot.id, covered, t.signal);
  write('package.json', '{}', 1);
  write('a.ts', 'a'.repeat(600), 1);
  const one = await print();
  write('a.ts', 'b'.repeat(600), 1);
  assert.notEqual(await print(), one, 'one fits: by content');
  write('b.ts', 'a'.repeat(600), 1);
  const two = await print();
  write('a.ts', 'c'.repeat(600), 1);
  write('b.ts', 'c'.repeat(600), 1);
  assert.equal(await print(), two, 'two do not');
  write('b.ts', 'c'.repeat(600), 2);
  const later = await print();
  assert.notEqual(later, two);
  write('package.json', '[]', 1);
  assert.notEqual(await print(), later);
});

test('a fingerprint ends with its signal', async (t) => {
  const { homes, bot, home } = makeFiles(t);
  await homes.prepare(bot);
  writeFileSync(join(home, 'a.ts'), 'x');
  const covered = { inputs: [], sources: ['.ts'], skip };
  const reason = new Error('the bot was deleted');
  await assert.rejects(new Projects(homes).fingerprint(bot.id, covered, AbortSignal.abort(reason)), reason);
});
