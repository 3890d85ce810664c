// Test hooks apply only to a process that a test started.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './config.ts';
import { readFailpoint } from './test-hooks.ts';

test('a failpoint has a place, an action and a count', () => {
  const read = (text: string) => readFailpoint({ BOTEL_TEST: '1', BOTEL_FAILPOINT: text });
  assert.deepEqual(read('before.create'), { name: 'before.create', action: 'kill', nth: 1 });
  assert.deepEqual(read('upload.step:throw:12'), { name: 'upload.step', action: 'throw', nth: 12 });
  assert.equal(read(''), null);
  assert.throws(() => read('before.nothing'), /there is no place "before.nothing"/);
  for (const wrong of ['before.create:explode', 'before.create:kill:0'])
    assert.throws(() => read(wrong), /must be <name>/);
});

test('an operator who sets one is refused with the reason', () => {
  for (const others of [{}, { BOTEL_TEST: '0' }]) {
    const environment = { BOTEL_FAILPOINT: 'before.create', ...others };
    assert.throws(() => loadConfig(environment, '/'), {
      message: 'BOTEL_FAILPOINT makes the server fail on purpose: only tests of Botel may set it, with BOTEL_TEST=1',
    });
  }
  assert.equal(loadConfig({ BOTEL_TEST: '1' }, '/').failpoint, null);
});

test('cheap passwords are refused to operators', () => {
  for (const others of [{}, { BOTEL_TEST: '0' }])
    assert.throws(() => loadConfig({ BOTEL_CHEAP_PASSWORDS: '1', ...others }, '/'), /only tests of Botel may set it/);
  assert.equal(loadConfig({ BOTEL_TEST: '1' }, '/').cheapPasswords, false);
  assert.equal(loadConfig({ BOTEL_TEST: '1', BOTEL_CHEAP_PASSWORDS: '1' }, '/').cheapPasswords, true);
});
