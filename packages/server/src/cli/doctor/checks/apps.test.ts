// Findings about app names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeNames, judgeSites } from './apps.ts';

const own = new Set(['192.0.2.1', '2001:db8::1']);
const said = (found: string[] | null) => {
  const { state, text } = judgeNames('apps.example.com', found, own);
  return `${state} ${text}`;
};

test('names lead here, elsewhere, nowhere, or nobody says', () => {
  assert.equal(said(['192.0.2.1']), 'ok names below apps.example.com resolve to this machine (192.0.2.1)');
  assert.equal(
    said(['192.0.2.1', '198.51.100.9']),
    'warn names below apps.example.com resolve to 198.51.100.9, not to this machine',
  );
  assert.equal(said([]), 'warn names below apps.example.com do not resolve');
  assert.equal(said(null), 'warn no name server answers for *.apps.example.com');
});

test('apps on the site of the dashboard are told of, on another one not', () => {
  const sites = (apps: string, host: string | null) =>
    judgeSites(apps, host).map(({ state, text }) => `${state} ${text}`);
  assert.deepEqual(sites('apps.example.com', 'botel.example.com'), [
    'warn apps (apps.example.com) and the dashboard (botel.example.com) are the same site to a browser: example.com',
  ]);
  assert.deepEqual(sites('example-apps.com', 'botel.example.com'), []);
  assert.deepEqual(sites('a.com.br', 'b.com.br'), []);
  assert.deepEqual(sites('apps.example.com', null), []);
});
