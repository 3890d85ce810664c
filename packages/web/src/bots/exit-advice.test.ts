// When the banner is shown, and what it offers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BotData, ExitData } from '@botel/contract/bots';
import { adviceFor, endToTell, headlineOf } from './exit-advice.ts';

const end = { reason: 'crashed', oom: false, hint: null } as ExitData;
const bot = { status: 'offline', status_reason: 'crashed', last_exit: end } as BotData;

test('the banner tells of ends that nobody wanted', () => {
  assert.equal(endToTell(bot), end);
  assert.equal(endToTell({ ...bot, status: 'online' }), null);
  assert.equal(endToTell({ ...bot, status_reason: null }), null);
  assert.equal(endToTell({ ...bot, last_exit: { ...end, reason: 'stopped' } }), null);
  assert.equal(endToTell({ ...bot, last_exit: null }), null);
});

test('it offers what helps', () => {
  assert.equal(adviceFor(end), null);
  assert.equal(adviceFor({ ...end, oom: true }), 'memory');
  const hinted = (code: string) => adviceFor({ ...end, hint: { code, values: {}, text: '' } });
  assert.equal(hinted('discord_token'), 'env');
  assert.equal(hinted('module_node'), 'files');
  assert.equal(hinted('module_rust'), 'files');
  assert.equal(hinted('other'), null);
});

test('its first words', () => {
  assert.equal(headlineOf({ status_reason: 'oom' }), 'exit.oom');
  assert.equal(headlineOf({ status_reason: 'build_failed' }), 'exit.build_failed');
  assert.equal(headlineOf({ status_reason: 'suspended' }), 'exit.other');
  assert.equal(headlineOf({ status_reason: 'reason of a newer server' }), 'exit.other');
});
