// Only what apt-get takes for a package name is one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPackageName } from './package-name.ts';

test('names are what Debian calls a name, and nothing that apt-get or a shell reads as more', () => {
  for (const name of ['jq', 'sqlite3', 'g++', 'libstdc++6', 'python3.13', 'fonts-dejavu-core', '7zip']) {
    assert.ok(isPackageName(name), name);
  }
  const odd = ['', 'a', 'JQ', 'jq-', '-y', '--help', 'jq=1', 'jq/sid', 'jq:arm64', 'a b', 'a;b', '$(a)', 'a\n', '../a'];
  for (const name of [...odd, 'a'.repeat(65)]) assert.ok(!isPackageName(name), name);
});

test('no name holds anything but small letters, digits and + . -', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z0-9+.-]{1,5}[\s\S]?$/));
  fc.assert(
    fc.property(texts, (text) => !isPackageName(text) || /^[a-z0-9][a-z0-9+.-]+$/.test(text)),
    { numRuns: 2000 },
  );
});
