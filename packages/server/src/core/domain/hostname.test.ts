// Hostnames that owners may claim, and what DNS records say about ownership.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Domain, judgeRecords, lapseMs, readHostname, recordsOf } from './hostname.ts';

const names = { appsDomain: 'apps.example.com', publicHost: 'botel.example.com' };
const domain: Domain = {
  id: 'd',
  appId: 'a',
  hostname: 'www.example.org',
  token: 'secret',
  status: 'pending',
  fault: null,
  checkedAt: null,
  verifiedAt: null,
  tlsAskedAt: null,
  createdAt: 0,
};
const target = 'my-app.apps.example.com';

test('hostnames are compared in lower case, without the last dot', () => {
  for (const [given, hostname] of [
    ['www.example.org', 'www.example.org'],
    ['WWW.Example.ORG.', 'www.example.org'],
    ['example.com', 'example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a-b.c1.example.co', 'a-b.c1.example.co'],
    [`${'a'.repeat(63)}.example.org`, `${'a'.repeat(63)}.example.org`],
    ['notapps.example.com', 'notapps.example.com'],
  ] as const)
    assert.deepEqual(readHostname(given, names), { hostname });
});

test('what is none is refused', () => {
  const long = `${'a'.repeat(60)}.`.repeat(4);
  for (const given of [
    '',
    '.',
    '..',
    'example',
    'localhost',
    'a.localhost',
    'printer.local',
    'db.internal',
    '1.0.0.127.in-addr.arpa',
    '127.0.0.1',
    '0x7f.1',
    '1.2.3.0x4',
    '[::1]',
    '::1',
    'a..example.org',
    '.example.org',
    'example.org..',
    '-a.example.org',
    'a-.example.org',
    'a_b.example.org',
    '*.example.org',
    'a b.example.org',
    'example.org/x',
    'example.org:443',
    'user@example.org',
    'bücher.example',
    'a\u0000.example.org',
    `${'a'.repeat(64)}.example.org`,
    `${long}example.orgorgorg`,
    'x'.repeat(100_000),
  ]) {
    const read = readHostname(given, names);
    assert.match('fault' in read ? read.fault : '', /^must be a hostname like/, given.slice(0, 50));
  }
});

test('nor are names of the server', () => {
  assert.deepEqual(readHostname('Botel.example.com', names), { fault: 'must not be the name of this server' });
  for (const given of ['apps.example.com', 'other.apps.example.com', 'a.b.APPS.example.com.'])
    assert.deepEqual(readHostname(given, names), { fault: 'must not be below apps.example.com' });
});

test('one of the two records is enough', () => {
  assert.deepEqual(recordsOf(domain, target), [
    { type: 'TXT', name: '_botel.www.example.org', value: 'secret' },
    { type: 'CNAME', name: 'www.example.org', value: target },
  ]);
  const verified = { status: 'verified', fault: null, verifiedAt: 7 };
  for (const seen of [
    { txt: ['other', 'secret'], cname: [] },
    { txt: ['"secret"'], cname: null },
    { txt: [' secret '], cname: ['elsewhere.example.net'] },
    { txt: [], cname: ['My-App.apps.example.com.'] },
    { txt: null, cname: [target] },
  ])
    assert.deepEqual(judgeRecords(domain, target, seen, 7), verified);
});

test('records of others show nothing; the alias is told where it can be shown', () => {
  for (const seen of [
    { txt: ['secre', 'Secret', 'secret2'], cname: ['my-app.apps.example.com.evil.example', 'bad name'] },
    { txt: [], cname: ['other.apps.example.com'] },
  ]) {
    const { status, fault } = judgeRecords(domain, target, seen, 7);
    assert.equal(status, 'failed');
    assert.match(
      fault ?? '',
      /^No TXT record with the token at _botel\.www\.example\.org, and no CNAME of www\.example\.org to my-app\.apps/,
    );
    assert.ok(fault?.endsWith(`: it leads to ${seen.cname[0]}`), fault ?? '');
  }
  assert.doesNotMatch(judgeRecords(domain, target, { txt: [], cname: ['<b>.x'] }, 7).fault ?? '', /</);
});

test('without an answer it stays what it was; a verified one stays so for days without its records', () => {
  const verified: Domain = { ...domain, status: 'verified', verifiedAt: 1000 };
  const nothing = { txt: [], cname: [] };
  for (const seen of [
    { txt: null, cname: null },
    { txt: [], cname: null },
    { txt: null, cname: [] },
  ])
    for (const before of [domain, verified])
      assert.deepEqual(judgeRecords(before, target, seen, 1000 + 2 * lapseMs), {
        status: before.status,
        fault: 'The name servers gave no answer',
        verifiedAt: before.verifiedAt,
      });
  assert.equal(judgeRecords(verified, target, nothing, 999 + lapseMs).status, 'verified');
  assert.equal(judgeRecords(verified, target, nothing, 1000 + lapseMs).status, 'failed');
});
