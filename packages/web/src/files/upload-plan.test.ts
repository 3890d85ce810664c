// What becomes of a dropped folder.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dotEnvOf,
  findConflicts,
  findTokens,
  isOneZip,
  namedFiles,
  settleConflicts,
  topFolderOf,
  variablesOf,
} from './upload-plan.ts';

function drop(files: Record<string, string>) {
  return {
    files: Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) })),
    skipped: new Map<string, number>(),
  };
}

const paths = (files: { path: string }[]) => files.map(({ path }) => path);

test('one top folder, or none', () => {
  assert.equal(topFolderOf(drop({ 'bot/a': '', 'bot/b/c': '' })), 'bot');
  assert.equal(topFolderOf(drop({ 'bot/a': '', b: '' })), null);
  assert.equal(topFolderOf(drop({ a: '' })), null);
  assert.equal(isOneZip(drop({ 'bot.ZIP': '' })), true);
  assert.equal(isOneZip(drop({ 'a.zip': '', b: '' })), false);
});

test('a .env file at the top can become variables', async () => {
  const dropped = drop({ 'bot/.env': 'A=1\nB="two words"\nnothing', 'bot/index.js': '', 'bot/sub/.env': '' });
  assert.deepEqual(paths(namedFiles(dropped, { dropsTop: true, takesEnv: true })), ['index.js', 'sub/.env']);
  assert.deepEqual(paths(namedFiles(dropped, { dropsTop: false, takesEnv: true })), [
    'bot/.env',
    'bot/index.js',
    'bot/sub/.env',
  ]);
  assert.deepEqual(await variablesOf(dotEnvOf(dropped, true)!), { A: '1', B: 'two words' });
  assert.equal(dotEnvOf(dropped, false), null);
});

test('conflicts are found and settled', async () => {
  const { files } = drop({ a: '', 'b.txt': '', 'sub/c': '', 'new/deep/d': '' });
  const there: Record<string, string[]> = { '': ['a', 'b.txt', 'sub'], sub: [] };
  const asked: string[] = [];
  const conflicts = await findConflicts(files, async (folder) => {
    asked.push(folder);
    return there[folder] ?? [];
  });
  assert.deepEqual(asked, ['', 'sub']);
  assert.deepEqual([...conflicts], ['a', 'b.txt']);
  assert.deepEqual(paths(settleConflicts(files, conflicts, 'replace')), ['a', 'b.txt', 'sub/c', 'new/deep/d']);
  assert.deepEqual(paths(settleConflicts(files, conflicts, 'skip')), ['sub/c', 'new/deep/d']);
  assert.deepEqual(paths(settleConflicts(files, conflicts, 'both')), ['a (2)', 'b (2).txt', 'sub/c', 'new/deep/d']);
});

test('tokens are reported in sources only', async () => {
  const token = `110201543:${'A'.repeat(35)}`;
  assert.deepEqual(await findTokens(drop({ 'index.js': token, 'log.txt': token, 'b.py': '' }).files), ['index.js']);
});
