// Every colour a bot may choose is readable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AnsiStyle } from './ansi.ts';
import { contrast, cssOf } from './ansi-colours.ts';

const plain: AnsiStyle = {
  foreground: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

type Rgb = [number, number, number];

/** Both colours of `light-dark(rgb(…), rgb(…))`. */
function both(css: string | undefined, otherwise: [Rgb, Rgb]): [Rgb, Rgb] {
  if (css === undefined) return otherwise;
  const [light, dark] = [...css.matchAll(/rgb\((\d+) (\d+) (\d+)\)/g)].map(([, ...rgb]) => rgb.map(Number) as Rgb);
  return [light!, dark!];
}

test('what has no colour gets none', () => {
  assert.deepEqual(cssOf({ ...plain, bold: true, italic: true, underline: true }), {
    fontWeight: 'bold',
    fontStyle: 'italic',
    textDecoration: 'underline',
  });
});

test('the same style has the same object', () => {
  assert.equal(cssOf({ ...plain, foreground: 1 }), cssOf({ ...plain, foreground: 1 }));
});

test('every colour has a contrast of 4.5 in both themes', () => {
  const byte = fc.nat(255);
  const colour = fc.oneof(fc.constant(null), fc.nat(15), fc.tuple(byte, byte, byte));
  const style = fc.record({
    foreground: colour,
    background: colour,
    bold: fc.boolean(),
    dim: fc.boolean(),
    italic: fc.boolean(),
    underline: fc.boolean(),
    inverse: fc.boolean(),
  });
  fc.assert(
    fc.property(style, (each) => {
      const css = cssOf(each);
      const text = both(css.color, [
        [35, 32, 26],
        [236, 232, 223],
      ]);
      const behind = both(css.backgroundColor, [
        [255, 253, 249],
        [15, 18, 20],
      ]);
      for (const theme of [0, 1] as const) assert.ok(contrast(text[theme], behind[theme]) >= 4.5, JSON.stringify(css));
    }),
  );
});
