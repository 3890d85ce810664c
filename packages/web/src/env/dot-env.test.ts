// `.env` files as people write them; reading and writing changes nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseDotEnv, printDotEnv } from './dot-env.ts';

function read(text: string): [string, string][] {
  return parseDotEnv(text).map(({ key, value }) => [key, value]);
}

describe('reading', () => {
  test('plain, commented, quoted and exported variables', () => {
    const text = [
      '# a comment',
      '',
      'A=1',
      ' B = two words # and a comment',
      'export C=three#no comment',
      "D='it\\'",
      'E="line\\nbreak \\"quoted\\" \\d" # comment',
      'F=`back "tick"`',
      'G=',
      'H=a=b==',
      'I="two',
      'lines"',
      'J=last',
    ].join('\r\n');
    assert.deepEqual(read(text), [
      ['A', '1'],
      ['B', 'two words'],
      ['C', 'three#no comment'],
      ['D', 'it\\'],
      ['E', 'line\nbreak "quoted" \\d'],
      ['F', 'back "tick"'],
      ['G', ''],
      ['H', 'a=b=='],
      ['I', 'two\nlines'],
      ['J', 'last'],
    ]);
    assert.equal(parseDotEnv(text).at(-1)?.line, 13);
  });

  test('what is wrong is marked, and the next line is read', () => {
    assert.deepEqual(parseDotEnv('no equals\nA="open\nB=2'), [
      { key: 'no equals', value: '', line: 1, fault: 'no_equals' },
      { key: 'A', value: '"open', line: 2, fault: 'open_quote' },
      { key: 'B', value: '2', line: 3, fault: null },
    ]);
    assert.deepEqual(read('A="quoted" rest\nB=2'), [
      ['A', '"quoted" rest'],
      ['B', '2'],
    ]);
    assert.deepEqual(read('\uFEFFA=1'), [['A', '1']]);
  });
});

test('values are quoted only where they must be', () => {
  const values = [
    'abc',
    '',
    'a b',
    'a#b',
    "it's",
    'two\nlines',
    'x"y',
    '$HOME',
    'https://a.b/?c=d&e',
    '"',
    'MTk4.Cl2F.x-y_z',
  ];
  assert.equal(
    printDotEnv(values.map((value, index) => [`K${index}`, value])),
    [
      'K0=abc',
      'K1=',
      "K2='a b'",
      "K3='a#b'",
      `K4=it's`,
      'K5="two\\nlines"',
      'K6=x"y',
      "K7='$HOME'",
      'K8=https://a.b/?c=d&e',
      `K9='"'`,
      'K10=MTk4.Cl2F.x-y_z',
      '',
    ].join('\n'),
  );
});

test('what was printed reads back as it was', () => {
  const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/).filter((name) => name !== 'export');
  const value = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
    fc
      .array(fc.constantFrom('"', "'", '`', '\\', 'n', '\n', '\r', ' ', '#', '$', '=', 'a', '\t'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value)), (variables) => {
      assert.deepEqual(read(printDotEnv(variables)), variables);
    }),
  );
});

test('reading never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseDotEnv(text)));
});
