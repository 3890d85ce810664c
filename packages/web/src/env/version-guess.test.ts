// The language version a project requires.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessVersion } from './version-guess.ts';

const nodes = ['24', '22', '20'];
const node = (present: string, texts: Parameters<typeof guessVersion>[2]) =>
  guessVersion({ language: 'nodejs', runtime_version: present }, nodes, texts);
const engines = (wish: string) => ({ 'package.json': JSON.stringify({ engines: { node: wish } }) });

test('a version that fits stays', () => {
  assert.equal(node('22', engines('>=20')), null);
  assert.equal(node('22', engines('22.x')), null);
  assert.equal(node('24', {}), null);
});

test('else the newest that fits is named, with the file', () => {
  assert.deepEqual(node('20', engines('>=22')), { version: '24', because: 'package.json' });
  assert.deepEqual(node('24', engines('^20.1.0')), { version: '20', because: 'package.json' });
  assert.deepEqual(node('24', { '.nvmrc': 'v22.3.0\n', ...engines('20') }), { version: '22', because: '.nvmrc' });
  const pom = { 'pom.xml': '<properties><maven.compiler.release>25</maven.compiler.release></properties>' };
  assert.deepEqual(guessVersion({ language: 'java', runtime_version: '21' }, ['25', '21'], pom), {
    version: '25',
    because: 'pom.xml',
  });
});

test('what is not there, not known or no version says nothing', () => {
  assert.equal(node('24', engines('18')), null);
  assert.equal(node('24', engines('>=20 <23')), null);
  assert.equal(node('24', { 'package.json': '{', '.nvmrc': 'lts/*' }), null);
  assert.equal(guessVersion({ language: 'go', runtime_version: '1.24' }, ['1.24'], engines('20')), null);
});
