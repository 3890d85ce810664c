// Which texts become links, and where the links end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { splitLinks } from './links.ts';

function hrefs(text: string): string[] {
  return splitLinks(text).flatMap(({ href }) => href ?? []);
}

test('addresses without what stands around them', () => {
  assert.deepEqual(hrefs('see https://example.com/a?b=c#d.'), ['https://example.com/a?b=c#d']);
  assert.deepEqual(hrefs('(http://example.com/x_(y))'), ['http://example.com/x_(y)']);
  assert.deepEqual(hrefs('[http://localhost:3000]'), ['http://localhost:3000/']);
  assert.deepEqual(hrefs('"https://a.example", https://b.example'), ['https://a.example/', 'https://b.example/']);
});

test('nothing but http and https', () => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com',
    'file:///etc/passwd',
    'http://',
    'xhttp://a',
  ])
    assert.deepEqual(hrefs(text), [], text);
});

test('no text is lost', () => {
  const parts = fc.array(fc.constantFrom('http://a.b/', 'https://', ')', '(', '.', ' ', 'x', '"', '<', ']'));
  fc.assert(
    fc.property(parts, (all) => {
      const text = all.join('');
      const pieces = splitLinks(text);
      assert.equal(pieces.map((piece) => piece.text).join(''), text);
      for (const { href } of pieces) assert.match(href ?? 'http://', /^https?:\/\//);
    }),
  );
});
