// A signed link is good only as long as the session that received it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { goodBot, startFixture } from '../support/fixture.ts';
import { assertRefused, type Refusal, send } from './request.ts';

const invalidSignature: Refusal = { status: 401, code: 'invalid_signature', error: 'Invalid signature' };
const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client: admin, guest, server, url } = fixture;
const { id: userId } = await server.services.accounts.create('links@example.com', 'a long password', 'user');
let botId = '';

async function session(): Promise<BotelClient> {
  return new BotelClient(url, (await server.services.accounts.issueToken(userId)).token);
}

before(async () => {
  const owner = await session();
  botId = (await owner.createBot(goodBot)).id;
  await owner.writeFile(botId, 'large', randomBytes(48 * 1024 * 1024));
  await owner.call('POST', `/bots/${botId}/backups`, { name: 'linked' });
});

async function linkOf(client: BotelClient): Promise<string> {
  const { data } = await client.call<{ backups: { download_url: string }[] }>('GET', `/bots/${botId}/backups`);
  const link = data.backups[0]?.download_url;
  assert.ok(link);
  await assertGood(link);
  return link;
}

async function assertGood(link: string): Promise<void> {
  const answer = await guest.fetch('GET', link);
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
}

async function assertEnded(link: string): Promise<void> {
  for (const client of [guest, admin]) assertRefused(await send(client, `GET ${link}`), invalidSignature);
}

describe('the link of a backup ends', () => {
  test('with the logout of its session; links of other sessions remain valid', async () => {
    const [one, other] = [await session(), await session()];
    const [ended, kept] = [await linkOf(one), await linkOf(other)];
    await one.call('POST', '/auth/logout');
    await assertEnded(ended);
    await assertGood(kept);
  });

  test('with a new password', async () => {
    const [one, other] = [await session(), await session()];
    const link = await linkOf(one);
    await other.call('POST', '/auth/password', {
      current_password: 'a long password',
      new_password: 'a longer password',
    });
    await assertEnded(link);
  });

  test('with the suspension of its account', async () => {
    const link = await linkOf(await session());
    await admin.call('POST', '/admin/users/suspend', { user_id: userId, suspended: true });
    await assertEnded(link);
    await admin.call('POST', '/admin/users/suspend', { user_id: userId, suspended: false });
    await assertEnded(link);
  });

  test('also in the middle of a download', { timeout: 30_000 }, async () => {
    const one = await session();
    const answer = await guest.fetch('GET', await linkOf(one));
    const reader = answer.body!.getReader();
    assert.equal((await reader.read()).done, false);
    await one.call('POST', '/auth/logout');
    // Slowly: whoever is served to the end gets 48 MB.
    await assert.rejects(async () => {
      while (!(await reader.read()).done) await new Promise((resolve) => setTimeout(resolve, 200));
    });
  });

  test('it does not work for another session', async () => {
    const [one, other] = [await session(), await session()];
    const [link, foreign] = [new URL(await linkOf(one), url), new URL(await linkOf(other), url)];
    link.searchParams.set('session', foreign.searchParams.get('session') ?? '');
    await assertEnded(link.pathname + link.search);
  });
});
