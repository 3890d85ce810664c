// The dashboard's files over HTTP: where they are, their headers, encodings and caching. On a build
// of its own.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { serveDashboard } from '../../src/api/http/dashboard.ts';
import { replyWithError } from '../../src/core/http/error-reply.ts';
import { startFixture } from '../support/fixture.ts';
import { assertRefused, notFound, send } from './request.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-dashboard-'));
after(() => rmSync(directory, { recursive: true }));
const script = 'console.log("the dashboard");'.repeat(50);
mkdirSync(join(directory, 'assets'));
mkdirSync(join(directory, '.vite'));
mkdirSync(join(directory, 'docs'));
writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Botel</title>');
writeFileSync(join(directory, '.vite/manifest.json'), '{}');
writeFileSync(join(directory, 'docs/index.html'), '<!doctype html><title>API reference</title>');
writeFileSync(join(directory, '.stamp'), 'stamp');
writeFileSync(join(directory, 'assets/a-1.js'), script);
writeFileSync(join(directory, 'assets/a-1.js.br'), brotliCompressSync(script));
writeFileSync(join(directory, 'assets/a-1.js.gz'), gzipSync(script));

const app = Fastify();
app.setErrorHandler((error, request, reply) => replyWithError(error, request, reply));
serveDashboard(app, directory);
after(() => app.close());

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers });

describe('pages', () => {
  test('are one document under every path without extension', async () => {
    for (const path of ['/dashboard/', '/dashboard/bots/some-id/files', '/dashboard/login?next=/x']) {
      const answer = await get(path);
      assert.equal(answer.statusCode, 200, path);
      assert.match(answer.body, /^<!doctype html>/);
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'no-cache');
    }
  });

  test('load, run and are framed by nothing from elsewhere', async () => {
    for (const path of ['/dashboard/', '/docs']) {
      const { headers } = await get(path);
      const policy = String(headers['content-security-policy']);
      for (const part of ["default-src 'self'", "script-src 'self';", "object-src 'none'", "frame-ancestors 'none'"])
        assert.ok(policy.includes(part), part);
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    }
  });

  test('of the API reference are beside them', async () => {
    const { statusCode, body } = await get('/docs');
    assert.deepEqual([statusCode, body], [200, '<!doctype html><title>API reference</title>']);
  });

  test('are not sent again to who has them', async () => {
    const { headers } = await get('/dashboard/');
    const again = await get('/dashboard/apps', { 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  });
});

describe('assets', () => {
  test('never change, and come in the encoding that is asked for', async () => {
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['', undefined],
    ] as const) {
      const { statusCode, headers } = await get('/dashboard/assets/a-1.js', { 'accept-encoding': accepted });
      assert.equal(statusCode, 200);
      assert.equal(headers['content-encoding'], encoding);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    }
  });

  test('that are not there, and files of the build itself, are 404', async () => {
    const hidden = ['assets/gone-2.js', '.vite/manifest.json', 'assets/a-1.js.br', '..%2f..%2fpackage.json'];
    for (const path of hidden) assert.equal((await get(`/dashboard/${path}`)).statusCode, 404, path);
    assert.match((await get('/dashboard/.stamp')).body, /^<!doctype html>/);
  });
});

test('the root leads to the dashboard; without a build there is none, and the API is there', async () => {
  await using fixture = await startFixture();
  for (const path of ['/', '/dashboard']) {
    const answer = await fixture.guest.fetch('GET', path, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('Location')], [302, '/dashboard/']);
  }
  assertRefused(await send(fixture.guest, 'GET /dashboard/assets/none.js'), notFound);
});
