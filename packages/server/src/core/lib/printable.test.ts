// What a terminal would obey is shown instead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable } from './printable.ts';

test('what is visible stays; control, formatting and unpaired characters are escaped', () => {
  for (const text of ['ana@example.com', 'joão@exämple.com', '日本 🤖', String.raw`a\b`])
    assert.equal(printable(text), text);
  assert.equal(printable('\x1b[2J\r\n\t\x7f'), String.raw`\u001b[2J\u000d\u000a\u0009\u007f`);
  assert.equal(printable('\x9b31m\u202egnp.exe\u200b'), String.raw`\u009b31m\u202egnp.exe\u200b`);
  assert.equal(printable('\ud800'), String.raw`\ud800`);
  assert.equal(printable('\u{e0001}'), String.raw`\udb40\udc01`);
});
