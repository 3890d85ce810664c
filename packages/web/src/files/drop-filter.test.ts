// Which files of a dropped folder are uploaded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAll, filterDrop, freeName, skippedFor, tokenIn, withoutTopFolder } from './drop-filter.ts';

const file = new File([], 'x');
const drop = (...paths: string[]) => paths.map((path) => ({ path, file }));

test('what is made again or belongs to tools is left out, and counted', () => {
  const { files, skipped } = filterDrop(
    drop(
      'index.js',
      'package-lock.json',
      '.env',
      '.gitignore',
      'node_modules/a/index.js',
      'sub/node_modules/b.js',
      '.git/HEAD',
      'src/.DS_Store',
      'node_modules.txt',
      'target/keep.txt',
    ),
  );
  assert.deepEqual(
    files.map(({ path }) => path),
    ['index.js', 'package-lock.json', '.env', '.gitignore', 'node_modules.txt', 'target/keep.txt'],
  );
  assert.deepEqual(Object.fromEntries(skipped), { node_modules: 2, '.git': 1, '.DS_Store': 1 });
});

test('target is left out beside Cargo.toml', () => {
  const { files } = filterDrop(drop('bot/Cargo.toml', 'bot/Cargo.lock', 'bot/target/debug/bot', 'other/target/x'));
  assert.deepEqual(
    files.map(({ path }) => path),
    ['bot/Cargo.toml', 'bot/Cargo.lock', 'other/target/x'],
  );
});

test('folders are known before they are read', () => {
  assert.equal(skippedFor('a/node_modules', 'directory'), 'node_modules');
  assert.equal(skippedFor('a/src', 'directory'), null);
});

test('the only top folder goes', () => {
  const paths = (...all: string[]) => withoutTopFolder(drop(...all)).map(({ path }) => path);
  assert.deepEqual(paths('bot/a', 'bot/b/c'), ['a', 'b/c']);
  assert.deepEqual(paths('bot/a', 'b'), ['bot/a', 'b']);
  assert.deepEqual(paths('bot/a', 'other/b'), ['bot/a', 'other/b']);
  assert.deepEqual(paths(), []);
});

test('a name that is free', () => {
  const taken = new Set(['a/b (2).txt', 'c (2)']);
  const free = (path: string) => freeName(path, (each) => taken.has(each));
  assert.equal(free('a/b.txt'), 'a/b (3).txt');
  assert.equal(free('c'), 'c (3)');
  assert.equal(free('.env'), '.env (2)');
});

test('tokens of bots are seen', () => {
  const discord = ['MTk4NjIyNDgzNDcxOTI1MjQ4', 'Cl2FMQ', 'ZnCjm1XVW7vRze4b7Cq4se7kKWs-abcdefgh'].join('.');
  assert.equal(tokenIn(`client.login('${discord}')`), 'discord');
  assert.equal(tokenIn(`token = "110201543:${'A'.repeat(35)}"`), 'telegram');
  assert.equal(tokenIn('process.env.TOKEN, 12:30, a.b.c'), null);
});

test('all files are counted, sent or not, unless that would take too long', () => {
  const files = ['index.js', 'node_modules/a/x.js', '.git/HEAD', '.git/config'].map((path) => ({ path }));
  const drop = filterDrop(files);
  assert.equal(countAll(drop), 4);
  drop.skipped.set('node_modules', Number.POSITIVE_INFINITY);
  assert.equal(countAll(drop), null);
});
