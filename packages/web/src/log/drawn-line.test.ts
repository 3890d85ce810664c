// Styles, links and search hits overlap without changing the text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visibleText } from './ansi.ts';
import { drawLine } from './drawn-line.ts';

test('a hit across two styles, inside of a link', () => {
  const parts = drawLine('go \x1b[31mhttp://a.b/x\x1b[0m now', 'B/X NOW');
  assert.deepEqual(
    parts.map(({ text, href, hit, style }) => [text, href, hit, style?.foreground ?? null]),
    [
      ['go ', null, false, null],
      ['http://a.', 'http://a.b/x', false, 1],
      ['b/x', 'http://a.b/x', true, 1],
      [' now', null, true, null],
    ],
  );
});

test('what is searched for is text, not a pattern', () => {
  const hits = (text: string, wanted: string) => drawLine(text, wanted).filter((part) => part.hit).length;
  assert.equal(hits('a.b axb', 'a.b'), 1);
  for (const wanted of ['(', '[', '\\', '$', '*', '{1}', '-', '/'])
    assert.equal(hits(`x${wanted}y`, wanted), 1, wanted);
  assert.equal(hits('abc', ''), 0);
});

test('the text stays what it was', () => {
  const words = fc.constantFrom('http://a.b', ' ', '\x1b[1m', '\x1b[0m', 'ab', 'A', '.', '\u202e', '\t');
  fc.assert(
    fc.property(fc.array(words), fc.constantFrom('', 'a', 'b.', '//'), (all, wanted) => {
      const parts = drawLine(all.join(''), wanted);
      assert.equal(parts.map((part) => part.text).join(''), visibleText(all.join('')));
    }),
  );
});
