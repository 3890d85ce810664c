// Packages that a bot may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPackages } from './packages.ts';

test('a bot has allowed packages, sorted and each once', () => {
  const allowed = ['ffmpeg', 'jq', 'sqlite3'];
  assert.deepEqual(readPackages(['sqlite3', 'jq', 'sqlite3'], allowed), { packages: ['jq', 'sqlite3'] });
  assert.deepEqual(readPackages([], allowed), { packages: [] });
  assert.deepEqual(readPackages(['jq', 'vim', 'emacs'], allowed), { fault: 1 });
  assert.deepEqual(readPackages(['jq'], []), { fault: 0 });
});
