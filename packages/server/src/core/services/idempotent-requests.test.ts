// How long answers are kept, for whom, and across restarts.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { Database } from '../store/database.ts';
import { IdempotencyKeys, type RequestId } from '../store/idempotency-keys.ts';
import { IdempotentRequests } from './idempotent-requests.ts';

const hourMs = 60 * 60 * 1000;
const created = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"made":1}' };

async function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-idempotency-'));
  const database = await Database.open(directory, 'OFF');
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  const plan = { id: 'p', name: 'p', memory_mb: 1, bots: 1, disk_mb: 1, apps: 1, upload_mb: 1 };
  await database.db
    .insertInto('plans')
    .values({ ...plan, network_mbit: null, container_runtime: null })
    .execute();
  for (const id of ['ann', 'bob']) {
    const user = { id, email: id, password_hash: '', role: 'user' as const, plan_id: 'p', suspended: 0 };
    await database.db
      .insertInto('users')
      .values({ ...user, created_at: 1 })
      .execute();
  }
  const clock = new ManualClock();
  const keys = new IdempotencyKeys(database);
  return { directory, database, clock, keys, requests: new IdempotentRequests({ keys, clock }) };
}

test('the first one runs, its twin is refused, later ones get the answer', async (t) => {
  const { requests } = await open(t);
  const id = (await requests.begin('ann', 'key', 'request')) as RequestId;
  await assert.rejects(requests.begin('ann', 'key', 'request'), { code: 'idempotency_running' });
  await assert.rejects(requests.begin('ann', 'key', 'another'), { code: 'idempotency_reused' });
  await requests.end(id, created);
  assert.deepEqual(await requests.begin('ann', 'key', 'request'), created);
  await assert.rejects(requests.begin('ann', 'key', 'another'), { code: 'idempotency_reused' });
  assert.ok('keyHash' in (await requests.begin('bob', 'key', 'another')), 'keys belong to an account');
});

test('401, 429 and 5xx free the key; other refusals are kept', async (t) => {
  const { requests } = await open(t);
  for (const status of [401, 429, 500, 503, 507]) {
    const id = (await requests.begin('ann', `key ${status}`, 'r')) as RequestId;
    await requests.end(id, { ...created, status });
    assert.ok('keyHash' in (await requests.begin('ann', `key ${status}`, 'r')), `${status}`);
  }
  for (const status of [400, 403, 404, 409]) {
    const id = (await requests.begin('ann', `key ${status}`, 'r')) as RequestId;
    await requests.end(id, { ...created, status });
    assert.deepEqual(await requests.begin('ann', `key ${status}`, 'r'), { ...created, status });
  }
});

test('a key is free again after 24 hours, and housekeeping removes it', async (t) => {
  const { requests, keys, clock, database } = await open(t);
  await requests.end((await requests.begin('ann', 'key', 'r')) as RequestId, created);
  clock.advance(24 * hourMs - 1);
  assert.deepEqual(await requests.begin('ann', 'key', 'r'), created);
  clock.advance(1);
  assert.ok('keyHash' in (await requests.begin('ann', 'key', 'another')));
  await keys.prune(clock.now());
  assert.deepEqual(await database.db.selectFrom('idempotency_keys').selectAll().execute(), []);
});

test('an account keeps 10,000 keys, the newest', async (t) => {
  const { requests, clock, database } = await open(t);
  await database.transaction(async () => {
    for (let i = 0; i < 10_001; i++) {
      const row = { user_id: 'ann', key_hash: `old ${i}`, fingerprint: 'f', created_at: clock.now() };
      await database.db.insertInto('idempotency_keys').values(row).execute();
      clock.advance(1);
    }
  });
  await requests.begin('ann', 'key', 'r');
  const kept = await database.db.selectFrom('idempotency_keys').select('key_hash').orderBy('created_at').execute();
  assert.equal(kept.length, 10_000);
  assert.equal(kept[0]?.key_hash, 'old 2');
});

test('neither key nor request is on the disk', async (t) => {
  const { requests, directory, database } = await open(t);
  await requests.end((await requests.begin('ann', 'secret-of-key', 'secret-of-request')) as RequestId, created);
  await database.close();
  const bytes = readFileSync(join(directory, 'botel.sqlite'), 'latin1');
  assert.ok(bytes.includes('"made":1'));
  assert.ok(!bytes.includes('secret-of-'));
});
