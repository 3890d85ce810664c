// Custom domains: anybody claims them, DNS verifies them; they are lost with their DNS record,
// their app, or by deletion.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { AppData } from '@botel/contract/apps';
import type { BotelClient } from '@botel/contract/client';
import type { DomainData, DomainListData } from '@botel/contract/domains';
import { sql } from 'kysely';
import { selectVerified } from '../../src/core/store/domains.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';
import { startDnsServer } from './dns-server.ts';
import { assertRefused, invalidInput, type Refusal, send } from './request.ts';

const dns = await startDnsServer();
const fixture = await startFixture({
  BOTEL_APPS_DOMAIN: 'apps.example.com',
  BOTEL_PUBLIC_URL: 'https://botel.example.com',
  BOTEL_DNS_SERVERS: dns.address,
  BOTEL_DEFAULT_PLAN_BOTS: '100',
});
after(async () => {
  await fixture[Symbol.asyncDispose]();
  dns.close();
});
const { client, stranger, url } = fixture;
await inDatabase(fixture, (db) => db.updateTable('plans').set({ apps: 100 }).execute());

const dayMs = 24 * 60 * 60 * 1000;
const domainNotFound: Refusal = { status: 404, code: 'domain_not_found', error: 'Domain not found' };
const inUse = (hostname: string): Refusal => ({
  status: 409,
  code: 'already_exists',
  error: `"${hostname}" is already in use`,
});
let made = 0;

async function makeApp(owner = client): Promise<AppData> {
  const { id } = await owner.createBot({ ...goodBot, memory: 128 });
  return (await owner.call<AppData>('POST', '/apps/create', { bot_id: id, name: `with-domain-${++made}` })).data;
}

async function claim(hostname: string, owner = client, app?: AppData): Promise<DomainData> {
  const { id } = app ?? (await makeApp(owner));
  return (await owner.call<DomainData>('POST', '/domains/create', { app_id: id, hostname })).data;
}

const verify = async (id: string, owner: BotelClient = client) =>
  (await owner.call<DomainData>('POST', '/domains/verify', { domain_id: id })).data;

/** Puts the TXT record of the domain into its DNS. */
function putToken({ records }: DomainData): void {
  const record = records.find(({ type }) => type === 'TXT');
  if (record) dns.records.set(`TXT ${record.name}`, ['something else', record.value]);
}

async function mayHaveCertificate(hostname: string): Promise<boolean> {
  const answer = await fetch(`${url}/internal/tls-ask?domain=${encodeURIComponent(hostname)}`);
  assert.equal(await answer.text(), '');
  return answer.status === 200;
}

/** As if the domain had been seen well so many days ago, and not since. */
const age = (id: string, days: number) =>
  inDatabase(fixture, (db) =>
    db
      .updateTable('domains')
      .set({ verified_at: Date.now() - days * dayMs, checked_at: Date.now() - days * dayMs })
      .where('id', '=', id)
      .execute(),
  );

describe('POST /domains/create', () => {
  test('201 with what is to be put into its DNS; nothing is served yet', async () => {
    const app = await makeApp();
    const answer = await send<DomainData>(client, 'POST /domains/create', {
      app_id: app.id,
      hostname: 'Shop.Example.ORG.',
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.body.message, 'Domain "shop.example.org" was created');
    const { id, created_at: createdAt, records, ...rest } = answer.body.data;
    assert.ok(id && createdAt);
    assert.deepEqual(rest, {
      app_id: app.id,
      hostname: 'shop.example.org',
      status: 'pending',
      fault: null,
      tls: 'none',
      checked_at: null,
    });
    assert.match(records[0]?.value ?? '', /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(records, [
      { type: 'TXT', name: '_botel.shop.example.org', value: records[0]?.value },
      { type: 'CNAME', name: 'shop.example.org', value: `${app.name}.apps.example.com` },
    ]);
    assert.equal(await mayHaveCertificate('shop.example.org'), false);
    const list = (await client.call<DomainListData>('GET', `/apps/${app.id}/domains`)).data;
    assert.deepEqual(list, { domains: [answer.body.data], count: 1, next_cursor: null });
  });

  test('400 for what is no hostname of an owner', async () => {
    const { id } = await makeApp();
    const create = (hostname: unknown) => send(client, 'POST /domains/create', { app_id: id, hostname });
    const fault = 'must be a hostname like www.example.com, in ASCII (xn--… for others)';
    for (const hostname of ['localhost', '10.0.0.1', 'a_b.example.org', 'bücher.example', '*.example.org', ''])
      assertRefused(await create(hostname), invalidInput('hostname', fault), hostname);
    assertRefused(await create('x.apps.example.com'), invalidInput('hostname', 'must not be below apps.example.com'));
    assertRefused(await create('BOTEL.example.com'), invalidInput('hostname', 'must not be the name of this server'));
    assertRefused(await create(undefined), invalidInput('hostname', 'is required'));
    assertRefused(await create(1), invalidInput('hostname', 'must be a string'));
  });

  test('409 for a second claim of one app, 403 beyond ten', async () => {
    const app = await makeApp();
    await claim('twice.example.org', client, app);
    const create = (hostname: string) => send(client, 'POST /domains/create', { app_id: app.id, hostname });
    assertRefused(await create('TWICE.example.org'), inUse('twice.example.org'));
    for (let n = 1; n < 10; n++) await claim(`many-${n}.example.org`, client, app);
    assertRefused(await create('one-more.example.org'), {
      status: 403,
      code: 'plan_limit',
      error: 'Plan limit reached: 10 of 10 domains',
    });
  });
});

describe('POST /domains/verify', () => {
  test('a TXT record with the token makes it verified; its certificate may be got, which is told', async () => {
    const domain = await claim('by-txt.example.org');
    const failed = await verify(domain.id);
    assert.equal(failed.status, 'failed');
    assert.match(failed.fault ?? '', /^No TXT record with the token at _botel\.by-txt\.example\.org, and no CNAME/);
    assert.ok(failed.checked_at);
    putToken(domain);
    const verified = await verify(domain.id);
    assert.deepEqual([verified.status, verified.fault, verified.tls], ['verified', null, 'pending']);
    for (const hostname of ['by-txt.example.org', 'BY-TXT.example.org.', 'By-Txt.Example.Org'])
      assert.equal(await mayHaveCertificate(hostname), true, hostname);
    assert.equal((await verify(domain.id)).tls, 'active');
    for (const hostname of ['x.by-txt.example.org', 'example.org', 'by-txt.example.org..'])
      assert.equal(await mayHaveCertificate(hostname), false, hostname);
  });

  test('a CNAME to the app makes it verified; one to another app does not', async () => {
    const app = await makeApp();
    const domain = await claim('by-cname.example.org', client, app);
    dns.records.set('CNAME by-cname.example.org', ['other.apps.example.com']);
    const failed = await verify(domain.id);
    assert.equal(failed.status, 'failed');
    assert.match(failed.fault ?? '', /: it leads to other\.apps\.example\.com$/);
    dns.records.set('CNAME by-cname.example.org', [`${app.name}.apps.example.com`]);
    assert.equal((await verify(domain.id)).status, 'verified');
  });

  test('name servers that do not answer change nothing, and keep nobody waiting for long', async () => {
    const domain = await claim('no-answer.example.org');
    const noAnswer = ['pending', 'The name servers gave no answer'];
    dns.mood = 'broken';
    const { status, fault } = await verify(domain.id);
    assert.deepEqual([status, fault], noAnswer);
    dns.mood = 'silent';
    const body = { domain_id: domain.id };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send<DomainData>(client, 'POST /domains/verify', body)),
    );
    for (const { body } of answers.filter((answer) => answer.status === 200))
      assert.deepEqual([body.data.status, body.data.fault], noAnswer);
    const limited = answers.filter((answer) => answer.status === 429);
    assert.deepEqual([answers.length - limited.length, limited.length], [4, 2], 'one owner has four under way at most');
    for (const answer of limited)
      assertRefused(answer, { status: 429, code: 'rate_limited', error: 'Rate limit exceeded' });
    dns.mood = 'well';
    putToken(domain);
    assert.equal((await verify(domain.id)).status, 'verified');
  });

  test('a claim that nobody showed keeps nobody from anything; of two who show it the first has it', async () => {
    const hostname = 'contested.example.org';
    const squatter = await claim(hostname, stranger);
    const mine = await claim(hostname);
    putToken(mine);
    assert.equal((await verify(squatter.id, stranger)).status, 'failed');
    assert.equal((await verify(mine.id)).status, 'verified');
    const again = await claim(hostname, stranger);
    dns.records.set(
      `TXT _botel.${hostname}`,
      [mine, squatter, again].map(({ records }) => records[0]?.value ?? ''),
    );
    for (const { id } of [squatter, again])
      assertRefused(await send(stranger, 'POST /domains/verify', { domain_id: id }), inUse(hostname));
    assert.equal((await verify(mine.id)).status, 'verified');
    await client.call('POST', '/domains/delete', { domain_id: mine.id });
    assert.equal((await verify(squatter.id, stranger)).status, 'verified');
  });

  test('a verified claim that is no longer shown ends when another one is', async () => {
    const hostname = 'sold.example.org';
    const [before, now] = [await claim(hostname, stranger), await claim(hostname)];
    putToken(before);
    assert.equal((await verify(before.id, stranger)).status, 'verified');
    putToken(now);
    assert.equal((await verify(now.id)).status, 'verified');
    const { data } = await stranger.call<DomainListData>('GET', `/apps/${before.app_id}/domains`);
    const [{ status, fault } = assert.fail()] = data.domains;
    assert.deepEqual([status, fault], ['failed', 'Another claim of the hostname was verified']);
    assert.equal((await verify(before.id, stranger)).status, 'failed');
  });

  test('one of many that are shown at the same time is verified', async () => {
    const hostname = 'at-once.example.org';
    const owners = Array.from({ length: 8 }, (_, n) => (n % 2 ? client : stranger));
    const claims: DomainData[] = [];
    for (const owner of owners) claims.push(await claim(hostname, owner));
    dns.records.set(
      `TXT _botel.${hostname}`,
      claims.map(({ records }) => records[0]?.value ?? ''),
    );
    const answers = await Promise.all(
      claims.map(({ id }, n) => send(n % 2 ? client : stranger, 'POST /domains/verify', { domain_id: id })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 7 }, () => 409)]);
  });
});

describe('a domain goes', () => {
  test('when it is deleted', async () => {
    const domain = await claim('deleted.example.org');
    putToken(domain);
    await verify(domain.id);
    const answer = await send<DomainData>(client, 'POST /domains/delete', { domain_id: domain.id });
    assert.deepEqual([answer.status, answer.body.message], [200, 'Domain "deleted.example.org" was deleted']);
    assert.equal(await mayHaveCertificate('deleted.example.org'), false);
    for (const line of ['POST /domains/verify', 'POST /domains/delete'])
      assertRefused(await send(client, line, { domain_id: domain.id }), domainNotFound);
  });

  for (const [what, remove] of [
    ['app', (app: AppData) => client.call('POST', '/apps/delete', { app_id: app.id })],
    ['bot', (app: AppData) => client.deleteBot(app.bot_id)],
  ] as const)
    test(`with its ${what}`, async () => {
      const app = await makeApp();
      const domain = await claim(`with-${what}.example.org`, client, app);
      putToken(domain);
      await verify(domain.id);
      await remove(app);
      assert.equal(await mayHaveCertificate(domain.hostname), false);
      assertRefused(await send(client, 'POST /domains/verify', { domain_id: domain.id }), domainNotFound);
    });

  test('not with the name of its app, and not at once with its record: after three days without it', async () => {
    const app = await makeApp();
    const domain = await claim('fading.example.org', client, app);
    putToken(domain);
    await verify(domain.id);
    await client.call('POST', '/apps/update', { app_id: app.id, name: `renamed-${++made}` });
    const read = async () =>
      (await client.call<DomainListData>('GET', `/apps/${app.id}/domains`)).data.domains[0] as DomainData;
    assert.equal((await read()).records[1]?.value, `renamed-${made}.apps.example.com`);
    const { domainChecker } = fixture.server.agent;
    dns.asked.length = 0;
    await domainChecker.recheck();
    assert.equal(dns.asked.includes('TXT _botel.fading.example.org'), false, 'it was looked at lately');
    await age(domain.id, 2);
    await domainChecker.recheck();
    assert.deepEqual([(await read()).status, (await read()).fault], ['verified', null]);
    dns.records.delete('TXT _botel.fading.example.org');
    await age(domain.id, 2);
    await domainChecker.recheck();
    assert.equal((await read()).status, 'verified');
    assert.match((await read()).fault ?? '', /^No TXT record/);
    assert.equal(await mayHaveCertificate('fading.example.org'), true);
    await age(domain.id, 4);
    await domainChecker.recheck();
    assert.deepEqual([(await read()).status, (await read()).tls], ['failed', 'none']);
    assert.equal(await mayHaveCertificate('fading.example.org'), false);
  });
});

test('a hostname is found by one search of the index of verified ones', async () => {
  const plan = await inDatabase(fixture, async (db) => {
    const text = selectVerified(db, '').compile().sql.replace('?', "''");
    return (await sql<{ detail: string }>`explain query plan ${sql.raw(text)}`.execute(db)).rows;
  });
  assert.deepEqual(
    plan.map(({ detail }) => detail),
    ['SEARCH domains USING INDEX domains_verified (hostname=?)'],
  );
});
