// The draft of a bot's variables: rows and file are two views of the same changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addRow,
  changeRow,
  changesOf,
  type EnvRow,
  faultsOf,
  hasChanges,
  isPastedFile,
  paste,
  rawText,
  removeRow,
  restoreRow,
  reveal,
  rowsOf,
  rowsOfRaw,
} from './env-draft.ts';

const hidden = { keys: ['TOKEN', 'A'], values: null };
const shown = { keys: ['TOKEN', 'A'], values: { TOKEN: 'secret', A: '1' } };

function idOf(rows: readonly EnvRow[], key: string): number {
  return rows.find((row) => row.key === key)!.id;
}

describe('changes', () => {
  test('none at first, with and without values', () => {
    assert.equal(hasChanges(changesOf(rowsOf(hidden), hidden)), false);
    assert.equal(hasChanges(changesOf(rowsOf(shown), shown)), false);
    assert.deepEqual(
      rowsOf(hidden).map((row) => row.key),
      ['A', 'TOKEN'],
    );
  });

  test('added, changed and removed', () => {
    let rows = rowsOf(hidden);
    rows = changeRow(rows, idOf(rows, 'A'), { value: '2' });
    rows = removeRow(rows, idOf(rows, 'TOKEN'));
    rows = addRow(rows, 'NEW', 'x');
    assert.deepEqual(changesOf(rows, hidden), {
      set: { A: '2', NEW: 'x' },
      unset: ['TOKEN'],
      added: 1,
      changed: 1,
      removed: 1,
    });
    rows = restoreRow(rows, idOf(rows, 'TOKEN'));
    rows = removeRow(rows, idOf(rows, 'NEW'));
    assert.deepEqual(changesOf(rows, hidden), { set: { A: '2' }, unset: [], added: 0, changed: 1, removed: 0 });
  });

  test('a value that was typed again as it was is no change, once it is known', () => {
    let rows = rowsOf(shown);
    rows = changeRow(rows, idOf(rows, 'A'), { value: '1' });
    assert.equal(hasChanges(changesOf(rows, shown)), false);
  });

  test('what was typed stays when values are shown', () => {
    let rows = rowsOf(hidden);
    rows = reveal(changeRow(rows, idOf(rows, 'A'), { value: '2' }), shown.values);
    assert.deepEqual(
      rows.map((row) => row.value),
      ['2', 'secret'],
    );
  });
});

describe('pasting', () => {
  test('a file becomes rows and values', () => {
    const rows = paste(addRow(rowsOf(hidden)), 'A=5\n# no\nB="x y"\nnothing');
    assert.deepEqual(
      rows.map(({ key, value }) => [key, value]),
      [
        ['A', '5'],
        ['TOKEN', null],
        ['B', 'x y'],
      ],
    );
  });

  test('one name or one value is no file', () => {
    for (const text of ['TOKEN', 'abc def', 'a==', 'MTk4NjIy.x=y', '']) assert.equal(isPastedFile(text), false, text);
    for (const text of ['A=1', 'export A=1', 'A=1\nB=2']) assert.equal(isPastedFile(text), true, text);
  });
});

describe('the view as a file', () => {
  test('round trip without changes', () => {
    const rows = rowsOfRaw(rawText(rowsOf(shown)), shown);
    assert.equal(hasChanges(changesOf(rows, shown)), false);
  });

  test('what is missing there is removed', () => {
    const rows = rowsOfRaw('A=1\nB=2\n', shown);
    assert.deepEqual(changesOf(rows, shown), { set: { B: '2' }, unset: ['TOKEN'], added: 1, changed: 0, removed: 1 });
    assert.equal(rawText(rows), 'A=1\nB=2\n');
  });
});

test('faults', () => {
  const cases: [string, string, string | undefined][] = [
    ['', 'x', 'empty'],
    ['a'.repeat(129), '', 'too_long'],
    ['BOTEL_X', '', 'reserved'],
    ['PORT', '80', 'port'],
    ['with space', '', 'characters'],
    ['1A', '', 'characters'],
    ['A', '', 'duplicate'],
    ['V', 'x'.repeat(65_537), 'value_too_long'],
    ['V', 'x\0', 'value_characters'],
    ['FINE', '', undefined],
  ];
  for (const [key, value, fault] of cases) {
    const rows = addRow(rowsOf(hidden), key, value);
    assert.equal(faultsOf(rows).get(rows.at(-1)!.id), fault, key);
  }
  const removed = removeRow(rowsOf(hidden), -1);
  assert.equal(
    faultsOf(
      addRow(
        removed.map((row) => ({ ...row, removed: true })),
        'A',
        '1',
      ),
    ).size,
    0,
  );
});
