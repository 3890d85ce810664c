// Certificates are counted: the authority's weekly limit belongs to all owners of a machine.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BotelClient } from '@botel/contract/client';
import { goodBot, startFixture } from '../support/fixture.ts';
import { inDatabase } from './database.ts';
import { type Answer, send } from './request.ts';

const fixture = await startFixture({
  BOTEL_APPS_DOMAIN: 'apps.example.com',
  BOTEL_CERTIFICATES_PER_OWNER: '5',
  BOTEL_CERTIFICATES_OF_APPS: '7',
});
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;

const isApproved = async (name: string) =>
  (await fetch(`${fixture.url}/internal/tls-ask?domain=${name}.apps.example.com`)).status === 200;

async function makeApp(owner: BotelClient, name: string): Promise<string> {
  const { id } = await owner.createBot({ ...goodBot, memory: 128 });
  return (await owner.call<{ id: string }>('POST', '/apps/create', { bot_id: id, name })).data.id;
}

const rename = (owner: BotelClient, id: string, name: string): Promise<Answer> =>
  send(owner, 'POST /apps/update', { app_id: id, name });

describe('one app under sixty names', () => {
  const approved: string[] = [];
  const statuses = new Map<number, number>();

  test('gets as many certificates as its owner may have, and the renames end', async () => {
    const id = await makeApp(stranger, 'name-0');
    for (let n = 0; n < 60; n++) {
      const { status, headers } =
        n === 0 ? { status: 200, headers: new Headers() } : await rename(stranger, id, `name-${n}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) assert.ok(Number(headers.get('Retry-After')) > 80_000);
      if (await isApproved(`name-${n}`)) approved.push(`name-${n}`);
    }
    assert.deepEqual(approved, ['name-0', 'name-1', 'name-2', 'name-3', 'name-4']);
    assert.deepEqual(
      [...statuses],
      [
        [200, 51],
        [429, 9],
      ],
    );
  });

  test('others have what is left of the machine, and keep it: a renewal is no new one', async () => {
    for (const name of ['mine-1', 'mine-2', 'mine-3']) await makeApp(client, name);
    assert.deepEqual(
      [await isApproved('mine-1'), await isApproved('mine-2'), await isApproved('mine-3')],
      [true, true, false],
    );
    for (const name of ['mine-1', 'mine-2']) assert.equal(await isApproved(name), true, name);
  });

  test('a week later there are new ones', async () => {
    const week = 7 * 24 * 60 * 60 * 1000;
    await inDatabase(fixture, (db) =>
      db
        .updateTable('certificates')
        .set((set) => ({ approved_at: set('approved_at', '-', week) }))
        .execute(),
    );
    assert.equal(await isApproved('mine-3'), true);
  });
});
