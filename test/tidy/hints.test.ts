// docs/hints.md says what the table of hints says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { placeholders } from '../../packages/server/src/core/domain/exit-hints.ts';
import { hintTexts } from '../../packages/server/src/core/domain/exit-hint-texts.ts';

/** Rows of the table in the document: code, names of values, sentence; what comes after is for
 * people. */
function rows(): { code: string; values: string[]; sentence: string }[] {
  const table = readFileSync(checkoutPath('docs/hints.md'), 'utf8');
  return [...table.matchAll(/^\| `(\w+)` \| (.+?) \| `(.+?)` \| .+ \|$/gm)].map(
    ([, code = '', values = '', sentence = '']) => ({
      code,
      values: [...values.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      sentence,
    }),
  );
}

test('docs/hints.md has every code once, in the order of the table, with its values and its sentence', () => {
  const told = Object.entries(hintTexts).map(([code, texts]) => ({
    code,
    values: [...new Set(texts.flatMap(placeholders))],
    sentence: texts[0],
  }));
  assert.deepEqual(rows(), told);
});
