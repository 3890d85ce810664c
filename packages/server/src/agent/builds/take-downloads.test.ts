// The program that takes packages in builds (images/nodejs/take-downloads.mjs), run as in a build
// but on this machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkoutPath } from '../../core/lib/checkout.ts';
import { DownloadFolders } from './download-folders.ts';

const hash = (text: string) => createHash('sha512').update(text);

function pathOf(text: string): string {
  const digest = hash(text).digest('hex');
  return join('_cacache/content-v2/sha512', digest.slice(0, 2), digest.slice(2, 4), digest.slice(4));
}

function lockOf(...texts: string[]): string {
  const entry = (text: string) => ({ integrity: `sha512-${hash(text).digest('base64')}` });
  return JSON.stringify({ packages: Object.fromEntries(texts.map((text) => [`node_modules/${text}`, entry(text)])) });
}

function setUp(t: TestContext, there: string[]) {
  const root = mkdtempSync(join(tmpdir(), 'botel-take-'));
  t.after(() => rmSync(root, { recursive: true }));
  new DownloadFolders(join(root, 'downloads'), checkoutPath('images/nodejs/take-downloads.mjs')).install();
  const downloads = join(root, 'downloads/nodejs');
  for (const text of there) {
    mkdirSync(dirname(join(downloads, pathOf(text))), { recursive: true });
    writeFileSync(join(downloads, pathOf(text)), text);
  }
  const home = join(root, 'home');
  mkdirSync(home);
  const cache = join(home, '.cache/npm');
  const take = () =>
    execFileSync(process.execPath, [join(downloads, 'take')], {
      cwd: home,
      env: { HOME: home, NPM_CONFIG_CACHE: cache },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return { home, cache, take };
}

test("what is there goes into the bot's own cache, once", (t) => {
  const { home, cache, take } = setUp(t, ['one', 'two', 'of another bot']);
  writeFileSync(join(home, 'package-lock.json'), lockOf('one', 'two', 'three'));
  assert.equal(take(), '2 of 3 packages are there already\n');
  assert.equal(readFileSync(join(cache, pathOf('one')), 'utf8'), 'one');
  for (const text of ['three', 'of another bot']) assert.equal(existsSync(join(cache, pathOf(text))), false);
  assert.equal(take(), '');
});

test('npm-shrinkwrap.json goes first', (t) => {
  const { home, take } = setUp(t, ['one', 'two']);
  writeFileSync(join(home, 'package-lock.json'), lockOf('one', 'two'));
  writeFileSync(join(home, 'npm-shrinkwrap.json'), lockOf('two'));
  assert.equal(take(), '1 of 1 packages are there already\n');
});

test('it never fails, whatever the project is like', (t) => {
  const { home, cache, take } = setUp(t, ['one']);
  assert.equal(take(), '');
  const lock = join(home, 'package-lock.json');
  for (const text of [
    '',
    '{',
    'null',
    '7',
    '{"packages":7}',
    '{"packages":{"a":null,"b":{"integrity":"sha512-../.."}}}',
  ]) {
    writeFileSync(lock, text);
    assert.equal(take(), '', text);
  }
  writeFileSync(lock, lockOf('one'));
  mkdirSync(dirname(cache), { recursive: true });
  symlinkSync('/proc/nowhere', cache);
  assert.equal(take(), '');
});
