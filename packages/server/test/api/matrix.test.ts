// Every route × every caller who is not allowed: no token, a wrong one, an ended session, a
// suspended or removed account, another owner with foreign ids. 401 or 404 each, and no row or file
// changes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { routes } from '../support/all-routes.ts';
import { startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { makeThings, nothing } from './builders.ts';
import { assertRefused, type Refusal, send, unauthorized } from './request.ts';
import { fieldsOf, rightRequest, type Things, thingsOf } from './valid-inputs.ts';
import { assertUnchanged } from './whole-state.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, guest, server, url } = fixture;

const nobody: Record<string, BotelClient> = {
  'no token': guest,
  'a token that never was': new BotelClient(url, `sess_${'A'.repeat(43)}`),
};
let [mine, theirs] = [nothing, nothing];

/** Someone with an account and a token that was never used; `end` makes the token worthless. */
async function someoneWho(end: (userId: string, client: BotelClient) => Promise<unknown>): Promise<BotelClient> {
  const { id } = await server.services.accounts.create(`${Math.random()}@example.com`, 'a long password', 'user');
  const someone = new BotelClient(url, (await server.services.accounts.issueToken(id)).token);
  await end(id, someone);
  return someone;
}

before(async () => {
  [mine, theirs] = [await makeThings(client), await makeThings(stranger)];
  nobody['a session that ended'] = await someoneWho((_, someone) => someone.call('POST', '/auth/logout'));
  nobody['a session that ran out'] = await someoneWho((id) =>
    inDatabase(fixture, (db) => db.updateTable('sessions').set({ expires_at: 1 }).where('user_id', '=', id).execute()),
  );
  nobody['a suspended account'] = await someoneWho((id) =>
    inDatabase(fixture, (db) => db.updateTable('users').set({ suspended: 1 }).where('id', '=', id).execute()),
  );
  nobody['an account that was removed'] = await someoneWho((id) =>
    inDatabase(fixture, (db) => db.deleteFrom('users').where('id', '=', id).execute()),
  );
  await server.settle();
});

const changesNothing = (work: () => Promise<void>) => assertUnchanged(fixture, work);

test('a write of a file and a new name are seen as changes', async () => {
  for (const change of [
    () => client.writeFile(mine.bot, 'more.js', '1'),
    () => client.call('POST', '/bots/update', { bot_id: mine.bot, name: 'renamed' }),
  ])
    await assert.rejects(
      changesNothing(async () => void (await change())),
      assert.AssertionError,
    );
});

const guarded = routes.filter(({ declaration }) => declaration.scope).map(({ declaration }) => declaration);
const forAdmins = guarded.filter(({ scope }) => scope === 'admin');
const naming = guarded.filter((declaration) => thingsOf(declaration).length > 0);

describe('401, and nothing is changed, for every route', () => {
  for (const who of [
    'no token',
    'a token that never was',
    'a session that ended',
    'a session that ran out',
    'a suspended account',
    'an account that was removed',
  ])
    test(who, () =>
      changesNothing(async () => {
        for (const declaration of guarded) {
          const { line, body, headers } = rightRequest(declaration, mine);
          assertRefused(await send(nobody[who]!, line, body, headers), unauthorized, `${who}: ${line}`);
          if (declaration.method !== 'GET') continue;
          const head = await nobody[who]!.fetch('HEAD', line.slice('GET '.length));
          assert.equal(head.status, 401, `${who}: HEAD ${line}`);
        }
      }),
    );
});

describe('404, and nothing is changed, for things of others', () => {
  const refusals: Record<keyof Things, Refusal> = {
    bot: { status: 404, code: 'bot_not_found', error: 'Bot not found' },
    backup: { status: 404, code: 'backup_not_found', error: 'Backup not found' },
    schedule: { status: 404, code: 'schedule_not_found', error: 'Schedule not found' },
    app: { status: 404, code: 'app_not_found', error: 'App not found' },
    domain: { status: 404, code: 'domain_not_found', error: 'Domain not found' },
    session: { status: 404, code: 'session_not_found', error: 'Session not found' },
  };

  test('every id that a route takes is known to this test', () => {
    for (const declaration of guarded.filter((each) => !forAdmins.includes(each))) {
      const ids = fieldsOf(declaration).filter((field) => field.endsWith('_id') && field !== 'template_id');
      const known = thingsOf(declaration).map((thing) => `${thing}_id`);
      assert.deepEqual(
        ids.filter((id) => !known.includes(id)),
        [],
        `${declaration.method} ${declaration.url}`,
      );
    }
    assert.ok(naming.length >= 40, `${naming.length} routes name things`);
  });

  for (const [who, whose] of [
    ['a stranger', () => [stranger, mine] as const],
    ['an admin', () => [client, theirs] as const],
  ] as const)
    test(`${who}; the same answer as for what never was`, () =>
      changesNothing(async () => {
        const [caller, ids] = whose();
        for (const declaration of naming)
          for (const things of [ids, nothing]) {
            const { line, body, headers } = rightRequest(declaration, things);
            const [thing] = thingsOf(declaration);
            assertRefused(await send(caller, line, body, headers), refusals[thing!], `${who}: ${line}`);
          }
      }));

  test('the signature of a link is for one backup', async () => {
    const { data } = await stranger.call<{ backups: { download_url: string }[] }>('GET', `/bots/${theirs.bot}/backups`);
    const own = new URL(data.backups[0]?.download_url ?? '', url);
    assert.equal((await fetch(own)).status, 200);
    const foreign = new URL(own.href.replace(theirs.backup, mine.backup));
    const answer = await fetch(foreign);
    assert.deepEqual([answer.status, answer.headers.get('X-Error-Code')], [401, 'invalid_signature']);
    await answer.text();
  });
});

test('403, and nothing is changed, for every route of admins, to whoever is none', () =>
  changesNothing(async () => {
    assert.ok(forAdmins.length >= 10);
    const missing = { status: 403, code: 'missing_permission', error: 'Missing permission: admin' } as const;
    for (const declaration of forAdmins) {
      assert.ok(declaration.url.startsWith('/admin/'));
      const { line, body, headers } = rightRequest(declaration, mine);
      assertRefused(await send(stranger, line, body, headers), missing, line);
    }
    for (const { url, scope } of guarded) assert.equal(url.startsWith('/admin/'), scope === 'admin', url);
  }));

describe('what names no thing shows none of others', () => {
  const others = guarded.filter(
    (declaration) =>
      declaration.method === 'GET' && !naming.includes(declaration) && declaration.url !== '/events/stream',
  );

  test('lists and numbers', async () => {
    for (const declaration of others) {
      const { line } = rightRequest(declaration, nothing);
      const text = JSON.stringify((await send(stranger, line)).body);
      for (const id of Object.values(mine)) assert.equal(text.includes(id), false, line);
    }
  });

  test('the stream of events', async () => {
    const abort = new AbortController();
    const stream = await stranger.fetch('GET', '/events/stream', { signal: abort.signal });
    let received = '';
    const reading = (async () => {
      for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) received += chunk;
    })().catch(() => {});
    await client.lifecycle('start', mine.bot);
    await server.settle();
    await stranger.lifecycle('start', theirs.bot);
    // What comes later than the other's start has passed it.
    await until(async () => received.includes('"online"'));
    abort.abort();
    await reading;
    assert.ok(received.includes(theirs.bot));
    for (const id of Object.values(mine)) assert.equal(received.includes(id), false);
  });
});
