// Keyboard use of the file tree.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { moveFor, rowTyped, type TreeRow } from './tree-keys.ts';

const rows: TreeRow[] = [
  { name: 'Home', level: 1, isOpen: true },
  { name: 'src', level: 2, isOpen: true },
  { name: 'bot', level: 3, isOpen: false },
  { name: 'main.js', level: 3, isOpen: null },
  { name: 'empty', level: 2, isOpen: true },
  { name: 'README.md', level: 2, isOpen: null },
];

describe('a key in the tree', () => {
  test('goes up and down, and stays at the ends', () => {
    assert.deepEqual(moveFor(rows, 0, 'ArrowDown'), { kind: 'go', to: 1 });
    assert.deepEqual(moveFor(rows, 5, 'ArrowDown'), { kind: 'go', to: 5 });
    assert.deepEqual(moveFor(rows, 0, 'ArrowUp'), { kind: 'go', to: 0 });
    assert.deepEqual(moveFor(rows, 3, 'Home'), { kind: 'go', to: 0 });
    assert.deepEqual(moveFor(rows, 3, 'End'), { kind: 'go', to: 5 });
  });

  test('to the right opens a folder, then goes into it', () => {
    assert.deepEqual(moveFor(rows, 2, 'ArrowRight'), { kind: 'open' });
    assert.deepEqual(moveFor(rows, 1, 'ArrowRight'), { kind: 'go', to: 2 });
    assert.equal(moveFor(rows, 4, 'ArrowRight'), null, 'nothing is in it');
    assert.equal(moveFor(rows, 3, 'ArrowRight'), null, 'a file');
  });

  test('to the left closes a folder, or goes to the one around', () => {
    assert.deepEqual(moveFor(rows, 1, 'ArrowLeft'), { kind: 'close' });
    assert.deepEqual(moveFor(rows, 3, 'ArrowLeft'), { kind: 'go', to: 1 });
    assert.deepEqual(moveFor(rows, 5, 'ArrowLeft'), { kind: 'go', to: 0 });
    assert.equal(moveFor([{ name: 'Home', level: 1, isOpen: false }], 0, 'ArrowLeft'), null);
  });

  test('chooses, or means nothing', () => {
    assert.deepEqual(moveFor(rows, 3, 'Enter'), { kind: 'choose' });
    assert.equal(moveFor(rows, 3, 'Tab'), null);
    assert.equal(moveFor([], 0, 'ArrowDown'), null);
  });
});

describe('letters in the tree', () => {
  test('go to the next name that begins so, around the end', () => {
    assert.equal(rowTyped(rows, 0, 'm'), 3);
    assert.equal(rowTyped(rows, 3, 'm'), 3);
    assert.equal(rowTyped(rows, 5, 's'), 1);
    assert.equal(rowTyped(rows, 3, 're'), 5);
    assert.equal(rowTyped(rows, 5, 'read'), 5);
    assert.equal(rowTyped(rows, 0, 'x'), -1);
  });
});
