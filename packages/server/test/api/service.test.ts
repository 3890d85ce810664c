// The service about itself: /health, /ready, /version, /openapi.json.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { botelVersion } from '../../src/core/config/version.ts';
import { startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { withoutEngine } from './bot-states.ts';
import { inDatabase } from './database.ts';
import { assertRefused, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { guest } = fixture;

describe('GET /health', () => {
  test('200 without a token, also while the engine is away', async () => {
    const ok = { success: true, data: { status: 'ok' } };
    assert.deepEqual((await send(guest, 'GET /health')).body, ok);
    await withoutEngine(fixture, async () => {
      const answer = await send(guest, 'GET /health');
      assert.deepEqual([answer.status, answer.body], [200, ok]);
    });
  });
});

describe('GET /ready', () => {
  test('200 once all parts work', async () => {
    await until(async () => (await guest.fetch('GET', '/ready')).ok);
    assert.deepEqual((await send(guest, 'GET /ready')).body, {
      success: true,
      data: { status: 'ok', oldest_wait_seconds: 0 },
    });
  });

  test('503 with Retry-After while the engine is away; the rest of the API answers', async () => {
    await withoutEngine(fixture, async () => {
      const answer = await send(guest, 'GET /ready');
      assertRefused(answer, { status: 503, code: 'not_ready', error: 'Not ready: engine' });
      assert.match(answer.headers.get('Retry-After') ?? '', /^\d+$/);
      assert.deepEqual(await fixture.client.bots(), []);
    });
  });
});

describe('a fault of ours', () => {
  test('500 Internal server error, nothing of its cause; /ready is 503; afterwards all is well', async () => {
    const rename = (from: string, to: string) =>
      inDatabase(fixture, (db) => db.schema.alterTable(from).renameTo(to).execute());
    await rename('bots', 'misplaced');
    try {
      const answer = await send(fixture.client, 'GET /bots');
      assertRefused(answer, { status: 500, code: 'internal', error: 'Internal server error' });
      assertRefused(await send(guest, 'GET /ready'), {
        status: 503,
        code: 'not_ready',
        error: 'Not ready: database (ERR_SQLITE_ERROR)',
      });
    } finally {
      await rename('misplaced', 'bots');
    }
    assert.equal((await send(fixture.client, 'GET /bots')).status, 200);
  });
});

describe('GET /version', () => {
  test('200: the version of the program and of the API', async () => {
    const answer = await send(guest, 'GET /version');
    assert.deepEqual(answer.body, { success: true, data: { version: botelVersion, api_version: 1 } });
    assert.match(botelVersion, /^\d+\.\d+\.\d+/);
  });
});

describe('GET /openapi.json', () => {
  test('200: OpenAPI 3.1, not in the envelope, readable from pages of any origin', async () => {
    const answer = await guest.fetch('GET', '/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('Content-Type'), 'application/vnd.oai.openapi+json');
    assert.equal(answer.headers.get('Access-Control-Allow-Origin'), '*');
    const document = (await answer.json()) as { openapi: string; info: object };
    assert.equal(document.openapi, '3.1.0');
    assert.equal('success' in document, false);
  });
});
