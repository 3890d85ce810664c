// Accepted variables, and the key that is named when one is rejected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portOf, readEnvironment } from './environment.ts';

test('strings stay, numbers and booleans become their JSON text', () => {
  assert.deepEqual(readEnvironment({ A: 'x=y\n"', B: 1.5, C: true, 'my.key-1': '' }), {
    environment: { A: 'x=y\n"', B: '1.5', C: 'true', 'my.key-1': '' },
  });
});

test('nested values are refused for the whole', () => {
  for (const value of [{}, [], undefined]) {
    assert.deepEqual(readEnvironment({ A: value }), { key: null, fault: 'must be an object with string values' });
  }
});

test('a port is what can be listened on', () => {
  assert.deepEqual(['1', '3000', '65535'].map(portOf), [1, 3000, 65_535]);
  assert.deepEqual(['', '0', '65536', '-1', '80.0', '8e3', ' 80', 'http', '100000'].map(portOf), Array(9).fill(null));
});

test('bad keys and values name the key', () => {
  const bad: [string, unknown][] = [
    ['', 'x'],
    ['A=B', 'x'],
    ['A\0', 'x'],
    ['BOTEL_X', 'x'],
    ['K'.repeat(129), 'x'],
    ['A', 'a\0b'],
    ['A', '\ud800'],
    ['A', 'x'.repeat(65_537)],
  ];
  for (const [key, value] of bad) assert.deepEqual(readEnvironment({ [key]: value }), { key, fault: 'is not valid' });
});

test('bounds of number and total', () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`K${i}`, '']));
  assert.ok('fault' in readEnvironment(many));
  const large = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`K${i}`, 'x'.repeat(60_000)]));
  assert.deepEqual(readEnvironment(large), { key: null, fault: 'must be at most 262144 bytes in total' });
});
