// The rules of GET /apps/check/{name}, with the exact texts of the specification.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appUrl, subdomainFault, takenReason } from './subdomain.ts';

const characters = 'Only lowercase letters, numbers and hyphens. Cannot start or end with hyphen.';

test('a good name has no fault', () => {
  for (const name of ['abc', 'my-bot', 'a1-b2', '0bot', 'a--b', 'a'.repeat(32)])
    assert.equal(subdomainFault(name), null, name);
});

test('length counts characters and is checked first', () => {
  for (const name of ['', 'a', 'ab', 'A', '-', 'a'.repeat(33), '🤖🤖']) {
    assert.equal(subdomainFault(name), 'Must be between 3 and 32 characters.', name);
  }
  assert.equal(subdomainFault('🤖'.repeat(32)), characters);
});

test('other characters and hyphens at the ends', () => {
  for (const name of ['Abc', '-abc', 'abc-', 'a_b', 'a.b', 'a b c', 'äbc', 'abc\n', 'API'])
    assert.equal(subdomainFault(name), characters, name);
});

test('reserved names', () => {
  for (const name of ['api', 'www', 'admin', 'dashboard', 'xn--abc'])
    assert.equal(subdomainFault(name), `"${name}" is a reserved name`);
});

test('texts of a taken name and of the address', () => {
  assert.equal(takenReason('my-bot'), '"my-bot" is already taken');
  assert.equal(appUrl('my-bot', 'https://*.apps.example.com'), 'https://my-bot.apps.example.com');
});
