// What a bot may write, and what is shown of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type AnsiStyle, lastState, parseAnsi, visibleText } from './ansi.ts';

const esc = '\x1b';

function styled(line: string): [string, Partial<AnsiStyle> | null][] {
  return parseAnsi(line).map(({ text, style }) => {
    const set = style && Object.entries(style).filter(([, value]) => value !== null && value !== false);
    return [text, set && Object.fromEntries(set)];
  });
}

describe('styles', () => {
  test('colours and their ends', () => {
    assert.deepEqual(styled(`a${esc}[31mred${esc}[0m b`), [
      ['a', null],
      ['red', { foreground: 1 }],
      [' b', null],
    ]);
    assert.deepEqual(styled(`${esc}[1;92;44mx${esc}[39;49my`), [
      ['x', { bold: true, foreground: 10, background: 4 }],
      ['y', { bold: true }],
    ]);
    assert.deepEqual(styled(`${esc}[mx`), [['x', null]]);
  });

  test('every attribute', () => {
    assert.deepEqual(styled(`${esc}[2;3;4;7mx${esc}[22;23;24;27my`), [
      ['x', { dim: true, italic: true, underline: true, inverse: true }],
      ['y', null],
    ]);
    assert.deepEqual(styled(`${esc}[4:3mx${esc}[4:0my`), [
      ['x', { underline: true }],
      ['y', null],
    ]);
  });

  test('256 colours and 24 bits, in both ways of writing', () => {
    assert.deepEqual(styled(`${esc}[38;5;9mx`), [['x', { foreground: 9 }]]);
    assert.deepEqual(styled(`${esc}[38;5;196mx`), [['x', { foreground: [255, 0, 0] }]]);
    assert.deepEqual(styled(`${esc}[48;5;244mx`), [['x', { background: [128, 128, 128] }]]);
    assert.deepEqual(styled(`${esc}[38;2;1;2;3;1mx`), [['x', { foreground: [1, 2, 3], bold: true }]]);
    assert.deepEqual(styled(`${esc}[38:2::1:2:3mx`), [['x', { foreground: [1, 2, 3] }]]);
    assert.deepEqual(styled(`${esc}[38:2:1:2:3mx`), [['x', { foreground: [1, 2, 3] }]]);
  });

  test('colours that are none leave things as they are', () => {
    for (const wrong of ['38', '38;5', '38;5;256', '38;2;1;2', '38;2;1;2;256', '38;7', '999', '?25', '>4;2'])
      assert.deepEqual(styled(`${esc}[${wrong}mx`), [['x', null]], wrong);
  });
});

describe('sequences', () => {
  test('other than SGR are removed', () => {
    const removed = [
      '[2J',
      '[1;1H',
      '[?25l',
      '[0 q',
      ']0;title\x07',
      ']8;;http://x\x1b\\',
      'P+q\x1b\\',
      '(B',
      '7',
      'c',
    ];
    for (const each of removed) assert.equal(visibleText(`a${esc}${each}b`), 'ab', each);
  });

  test('without their end hide nothing', () => {
    assert.equal(visibleText(`a${esc}]0;rest of the line`), 'a␛]0;rest of the line');
    assert.equal(visibleText(`a${esc}[31`), 'a␛[31');
    assert.equal(visibleText(`a${esc}`), 'a␛');
    assert.equal(visibleText(`${esc}Pabc${esc}[31mx`), '␛Pabcx');
  });
});

describe('characters that cannot be seen', () => {
  test('become text', () => {
    assert.equal(visibleText('a\x00b\x07c\x7fd\x85e'), 'a␀b␇c␡dU+0085e');
    assert.equal(visibleText('a\u202eb\u2066c\u2029'), 'aU+202EbU+2066cU+2029');
    const [, control] = parseAnsi('a\u202eb');
    assert.deepEqual(control, { text: 'U+202E', style: null, control: true });
  });

  test('tabs, emoji and other alphabets stay', () => {
    for (const text of ['a\tb', '👩‍👩‍👧 é ñ', 'שלום', '<b>&amp;</b>']) assert.equal(visibleText(text), text);
  });
});

test('a line that was written over shows what was written last', () => {
  assert.equal(lastState('10 %\r20 %\r30 %'), '30 %');
  assert.equal(lastState('done\r'), 'done');
  assert.equal(lastState('plain'), 'plain');
  assert.equal(lastState('\r\r'), '');
});

describe('whatever a bot writes', () => {
  const parts = fc.oneof(
    fc.constantFrom(esc, '[', ']', 'm', ';', ':', '38', '2', '5', '\x07', '\\', '\x9b', '\u202e', 'P', '?', '\r'),
    fc.string({ unit: 'binary' }),
  );
  const lines = fc.array(parts, { maxLength: 30 }).map((all) => all.join(''));

  test('never throws, and no piece is empty or holds a control character', () => {
    fc.assert(
      fc.property(lines, (line) => {
        for (const { text } of parseAnsi(line)) {
          assert.notEqual(text, '');
          assert.doesNotMatch(text, /(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
    );
  });

  test('keeps all text between sequences, in order', () => {
    const words = fc.array(fc.stringMatching(/^[a-z<>&" ]{1,8}$/), { minLength: 1 });
    const sequences = fc.constantFrom('[31m', '[0m', '[38;5;200m', '[2K', ']0;t\x07', '[?25h', '(B');
    fc.assert(
      fc.property(words, fc.array(sequences, { minLength: 1 }), (texts, between) => {
        const line = texts.map((text, index) => text + esc + between[index % between.length]).join('');
        assert.equal(visibleText(line), texts.join(''));
      }),
    );
  });

  test('takes time in proportion to its length', () => {
    const hostile = `${esc}]`.repeat(50_000) + `${esc}[`.repeat(50_000);
    assert.equal(visibleText(hostile).length, hostile.length);
  });
});
