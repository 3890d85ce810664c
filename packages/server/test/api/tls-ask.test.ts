// GET /internal/tls-ask: whether a certificate may be got for a name, told to this machine alone.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { after, describe, test } from 'node:test';
import { goodBot, startFixture } from '../support/fixture.ts';
import { sendBytes } from './request.ts';

const fixture = await startFixture({
  BOTEL_HOST: '0.0.0.0',
  BOTEL_APPS_DOMAIN: 'apps.example.com',
  BOTEL_PUBLIC_URL: 'https://botel.example.com:8443',
  BOTEL_RATE_PUBLIC: '5',
});
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;
const port = new URL(fixture.url).port;
const here = `http://127.0.0.1:${port}`;

/** Status of the answer, which never has a body. */
async function ask(query: string, headers: Record<string, string> = {}, from = here): Promise<number> {
  const answer = await fetch(`${from}/internal/tls-ask${query}`, { headers });
  assert.equal(await answer.text(), '', query);
  return answer.status;
}

const { id: bot } = await client.createBot({ ...goodBot, memory: 128 });
const app = (await client.call<{ id: string }>('POST', '/apps/create', { bot_id: bot, name: 'served' })).data;

describe('200', () => {
  test('names of apps, of this server, and the apps domain, however they are written', async () => {
    for (const domain of ['served.apps.example.com', 'SERVED.Apps.example.com', 'served.apps.example.com.'])
      assert.equal(await ask(`?domain=${domain}`), 200, domain);
    for (const domain of ['botel.example.com', 'apps.example.com', 'Apps.Example.com.'])
      assert.equal(await ask(`?domain=${domain}`), 200, domain);
  });

  test('more often than the public may ask', async () => {
    for (let n = 0; n < 50; n++) assert.equal(await ask('?domain=served.apps.example.com'), 200);
  });
});

describe('404', () => {
  test('all other names, and what is none', async () => {
    const names = ['free.apps.example.com', 'api.apps.example.com', 'x.served.apps.example.com', 'example.com'];
    for (const name of [...names, 'served', 'served.apps.example.com.evil.org', '127.0.0.1', '*.apps.example.com'])
      assert.equal(await ask(`?domain=${name}`), 404, name);
    for (const query of ['', '?', '?domain=', '?domain=%00', `?domain=${'a.'.repeat(3000)}`, '?domain=a&domain=b'])
      assert.equal(await ask(query), 404, query.slice(0, 40));
    for (const query of [
      '?domain=..apps.example.com',
      '?domain=.apps.example.com',
      '?domain=served%2Eapps.example.com%0a',
    ])
      assert.equal(await ask(query), 404, query);
  });

  test('whatever a proxy passes on, whatever it says of where it comes from', async () => {
    for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'X-Forwarded-Host', 'Via'])
      assert.equal(await ask('?domain=served.apps.example.com', { [name]: '127.0.0.1' }), 404, name);
  });

  test('who asks from another address', async (t) => {
    const other = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal);
    if (!other) return t.diagnostic('this machine has no other address');
    assert.equal(await ask('?domain=served.apps.example.com', {}, `http://${other.address}:${port}`), 404);
  });

  test('an app that was deleted', async () => {
    await client.call('POST', '/apps/delete', { app_id: app.id });
    assert.equal(await ask('?domain=served.apps.example.com'), 404);
  });
});

test('from outside it counts as any public request', async () => {
  const request = `GET /internal/tls-ask?domain=x HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.77\r\n\r\n`;
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) statuses.push((await sendBytes(here, request)).status);
  assert.ok(statuses.includes(429), statuses.join());
});
