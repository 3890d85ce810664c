// Archives in a lock file: only well-formed entries count, whatever a bot writes into it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { tarballsOf } from './npm-lock.ts';

const registry = 'https://registry.npmjs.org/';
const linux = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const hash = (text: string) => createHash('sha512').update(text);
const integrity = `sha512-${hash('a').digest('base64')}`;
const digest = hash('a').digest('hex');

function pathsOf(entries: object[], from = registry): string[] {
  const packages = Object.fromEntries(entries.map((entry, index) => [`node_modules/${index}`, entry]));
  return tarballsOf(JSON.stringify({ lockfileVersion: 3, packages }), from, linux).map(({ path }) => path);
}

test('packages of the public registry, each once, by hash and path', () => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      '': { name: 'bot', dependencies: { one: '1' } },
      'node_modules/one': { version: '1.0.0', resolved: `${registry}one/-/one-1.0.0.tgz`, integrity },
      'node_modules/two/node_modules/one': { resolved: `${registry}one/-/one-1.0.0.tgz`, integrity },
      'node_modules/@a/two': {
        resolved: `${registry}@a/two/-/two-1.0.0-rc.1+b_2.tgz`,
        integrity: `sha512-${hash('b').digest('base64')}`,
      },
    },
  };
  assert.deepEqual(tarballsOf(JSON.stringify(lock), registry, linux), [
    { digest, path: 'one/-/one-1.0.0.tgz' },
    { digest: hash('b').digest('hex'), path: '@a/two/-/two-1.0.0-rc.1+b_2.tgz' },
  ]);
});

test('the registry of the operator stands for the public one, and for itself', () => {
  const mine = 'http://npm.example.com:4873/repository/all/';
  assert.deepEqual(pathsOf([{ resolved: `${mine}a/-/a-1.tgz`, integrity }], mine), ['a/-/a-1.tgz']);
  assert.deepEqual(pathsOf([{ resolved: `${registry}a/-/a-1.tgz`, integrity }], mine), ['a/-/a-1.tgz']);
  assert.deepEqual(pathsOf([{ resolved: `${mine}a/-/a-1.tgz`, integrity }]), []);
});

test('hostile and odd addresses are left out', () => {
  const addresses = [
    'https://registry.npmjs.org.example.com/a/-/a-1.tgz',
    'https://registry.npmjs.org@example.com/a/-/a-1.tgz',
    'https://user:password@registry.npmjs.org/a/-/a-1.tgz',
    'https://registry.npmjs.org:8443/a/-/a-1.tgz',
    'http://registry.npmjs.org/a/-/a-1.tgz',
    'https://npm.example.com/a/-/a-1.tgz',
    'http://127.0.0.1/a/-/a-1.tgz',
    'file:../a/-/a-1.tgz',
    'git+ssh://git@example.com/a/a.git',
    `${registry}../a/-/a-1.tgz`,
    `${registry}a/../../-/a-1.tgz`,
    `${registry}./-/a-1.tgz`,
    `${registry}../-/a-1.tgz`,
    `${registry}a/-/..tgz`,
    `${registry}/example.com/-/a-1.tgz`,
    `${registry}\\\\example.com/-/a-1.tgz`,
    `${registry}%2e%2e/-/a-1.tgz`,
    `${registry}a/-/a-1.tgz?x=1`,
    `${registry}a/-/a-1.tgz#x`,
    `${registry}a/-/a-1.tgz\n`,
    `${registry}a/-/a 1.tgz`,
    `${registry}-/all`,
    `${registry}-/v1/search?text=a`,
    `${registry}a`,
    `${registry}@a/@b/c/-/c-1.tgz`,
    `${registry}${'a'.repeat(500)}/-/a-1.tgz`,
    '',
  ];
  for (const resolved of addresses) assert.deepEqual(pathsOf([{ resolved, integrity }]), [], resolved);
  for (const resolved of [undefined, null, true, 1, [`${registry}a/-/a-1.tgz`], {}])
    assert.deepEqual(pathsOf([{ resolved, integrity }]), []);
});

test('only one whole SHA-512 counts as integrity', () => {
  const resolved = `${registry}a/-/a-1.tgz`;
  const sha1 = `sha1-${createHash('sha1').update('a').digest('base64')}`;
  const wrong = [
    '',
    sha1,
    `${integrity} ${integrity}`,
    `${integrity}?x`,
    integrity.slice(0, -4),
    'sha512-../../x',
    7,
    null,
  ];
  for (const bad of wrong) assert.deepEqual(pathsOf([{ resolved, integrity: bad }]), [], String(bad));
  assert.deepEqual(pathsOf([{ resolved }]), []);
});

test('packages of other machines are left out', () => {
  const suits = (limits: object) =>
    pathsOf([{ resolved: `${registry}a/-/a-1.tgz`, integrity, ...limits }]).length === 1;
  assert.ok(suits({ os: ['linux'], cpu: ['x64', 'arm64'], libc: ['glibc'] }));
  assert.ok(suits({ os: ['!win32'], cpu: ['any'] }));
  assert.ok(!suits({ os: ['darwin'] }));
  assert.ok(!suits({ os: ['!linux'] }));
  assert.ok(!suits({ cpu: ['arm64'] }));
  assert.ok(!suits({ libc: ['musl'] }));
  assert.ok(!suits({ os: { linux: true } }));
});

test('2000 packages at most; a text that is no lock file names none', () => {
  const many = Array.from({ length: 2500 }, (_, index) => ({
    resolved: `${registry}a/-/a-${index}.tgz`,
    integrity: `sha512-${hash(String(index)).digest('base64')}`,
  }));
  assert.equal(pathsOf(many).length, 2000);
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '7',
    '"x"',
    '{"packages":7}',
    '{"packages":[null,1,"x",[]]}',
    '{"packages":null}',
  ])
    assert.deepEqual(tarballsOf(text, registry, linux), [], text);
});
