// URLs of log downloads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { downloadAddress } from './download-address.ts';

test('only what was chosen is in it, with times in UTC', () => {
  assert.equal(downloadAddress('b', {}, 'txt'), '/bots/b/logs/download?format=txt');
  assert.equal(downloadAddress('b', { run: '14' }, 'ndjson'), '/bots/b/logs/download?format=ndjson&run=14');
  const since = new Date('2026-01-31T12:00').toISOString();
  assert.equal(
    downloadAddress('b', { since: '2026-01-31T12:00', until: '' }, 'txt'),
    `/bots/b/logs/download?format=txt&since=${encodeURIComponent(since)}`,
  );
});
