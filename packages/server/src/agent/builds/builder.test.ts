// What a build's result depends on besides the files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bot } from '../../core/domain/bot.ts';
import { Builder } from './builder.ts';
import { aBot } from '../../../test/support/sample-bot.ts';

const { signal } = new AbortController();

const builder = new Builder(
  {
    inspect: async () => ({
      names: new Set(['package.json']),
      texts: new Map([['package.json', '{"dependencies":{"a":"1"}}']]),
    }),
    fingerprint: async () => 'the same files',
  },
  1024,
);

async function keyOf(change: Partial<Bot>): Promise<string> {
  const needed = await builder.needed(aBot(change), signal);
  assert.ok(needed);
  return needed.key;
}

test('another runtime version, set of packages, command or request for a new build is another result', async () => {
  const changes: Partial<Bot>[] = [
    {},
    { runtimeVersion: '22' },
    { packages: ['build-essential'] },
    { packages: ['build-essential', 'python3'] },
    { buildCommand: 'npm ci && npm run build' },
    { buildEpoch: 1 },
  ];
  const keys = await Promise.all(changes.map(keyOf));
  assert.equal(new Set(keys).size, changes.length);
  assert.deepEqual(await Promise.all(changes.map(keyOf)), keys);
});

test('a bot whose result is there is not built', async () => {
  const buildKey = await keyOf({ packages: ['jq'] });
  assert.equal(await builder.needed(aBot({ packages: ['jq'] }, { buildKey }), signal), null);
  assert.ok(await builder.needed(aBot({ packages: [] }, { buildKey }), signal));
});
