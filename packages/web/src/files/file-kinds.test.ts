// Which files are edited or shown, and which names are valid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderOf, foldersAbove, imageTypeOf, joinPath, nameFault, nameOf, textOf } from './file-kinds.ts';

test('images are shown, but not those that may hold programs', () => {
  assert.equal(imageTypeOf('a/cat.PNG'), 'image/png');
  assert.equal(imageTypeOf('a.svg'), null);
  assert.equal(imageTypeOf('Makefile'), null);
});

test('bytes that are no text', () => {
  assert.equal(textOf(new TextEncoder().encode('é\uFEFF')), 'é\uFEFF');
  assert.equal(textOf(new Uint8Array([0xff, 0xfe])), null);
  assert.equal(textOf(new Uint8Array([97, 0])), null);
});

test('names', () => {
  for (const fine of ['a', '.env', 'a b', 'é']) assert.equal(nameFault(fine), null, fine);
  assert.equal(nameFault(' '), 'empty');
  assert.equal(nameFault('a/b'), 'slash');
  assert.equal(nameFault('..'), 'dots');
  assert.equal(nameFault('é'.repeat(128)), 'too_long');
  assert.equal(nameFault('\0'), 'characters');
});

test('paths', () => {
  assert.equal(joinPath('', 'a'), 'a');
  assert.equal(joinPath('a/b', 'c'), 'a/b/c');
  assert.equal(folderOf('a/b/c'), 'a/b');
  assert.equal(folderOf('a'), '');
  assert.equal(nameOf('a/b'), 'b');
  assert.deepEqual(foldersAbove('a/b/c'), ['a/b', 'a', '']);
  assert.deepEqual(foldersAbove(''), []);
});
