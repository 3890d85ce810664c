// The short form of test/attacks/run.ts: seconds of links, pipes, devices and swaps against every
// verb on files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attackFiles } from './attack-files.ts';
import { verbs } from './verbs.ts';

test('nothing outside of a home is read or changed, and nobody waits, whatever its bot swaps', async (t) => {
  const { swaps, tries, escapes } = await attackFiles(6);
  assert.deepEqual(escapes, []);
  assert.deepEqual(Object.keys(tries).sort(), Object.keys(verbs).sort());
  assert.ok(swaps > 1000, `${swaps} swaps`);
  const calls = Object.values(tries)
    .flatMap((answers) => Object.values(answers))
    .reduce((sum, count) => sum + count, 0);
  t.diagnostic(
    `${calls} calls of ${Object.keys(tries).length} verbs against ${swaps} swaps, ${escapes.length} escapes`,
  );
});
