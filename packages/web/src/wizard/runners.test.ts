// Commands for main files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerOf } from './runners.ts';

test('how a first file is run', () => {
  assert.deepEqual(runnerOf('a.mjs'), { language: 'nodejs', command: 'node a.mjs' });
  assert.deepEqual(runnerOf('bot.jar'), { language: 'java', command: 'java -jar bot.jar' });
  assert.deepEqual(runnerOf('cmd/main.go'), { language: 'go', command: 'go run .' });
  assert.equal(runnerOf('README'), null);
});
