// What a page must not leak or run: tokens stay out of scripts, storage and URLs; other origins get
// nothing; files of bots are never pages. Every tab of the fixture also asserts that no page
// requests another origin or violates its policy.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { adminEmail, adminPassword, goodBot } from '../../packages/server/test/support/fixture.ts';
import { startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client, url } = fixture;
const { id } = await client.createBot({ ...goodBot, startup_command: 'node echo' });

/** Everything a script of the page can read without a request. */
const withinReach = `(() => {
  const read = (storage) => JSON.stringify(Object.entries(storage));
  return [document.cookie, document.documentElement.outerHTML, read(localStorage), read(sessionStorage), location.href,
    JSON.stringify(history.state)].join('\\n');
})()`;

describe('the token of a session', () => {
  test('reaches neither script nor storage nor an address, from the login on', async () => {
    await using tab = await fixture.openTab('/login', { guest: true });
    const { page, context } = tab;
    const addresses: string[] = [];
    const bodies: Promise<string>[] = [];
    page.on('request', (request) => addresses.push(`${request.url()} ${request.headers().authorization ?? ''}`));
    page.on('response', (response) => {
      if (/json/.test(response.headers()['content-type'] ?? '')) bodies.push(response.text().catch(() => ''));
    });
    await page.getByLabel('Email').fill(adminEmail);
    await page.getByLabel('Password', { exact: true }).fill(adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('greeter').first().waitFor();
    const [cookie] = await context.cookies();
    const token = cookie?.value ?? '';
    assert.match(token, /^sess_[\w-]{43}$/);
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict']);
    for (const path of [`/bots/${id}`, `/bots/${id}/files`, `/bots/${id}/backups`, '/account', '/admin']) {
      await page.goto(`${url}/dashboard${path}`);
      await page.getByText('Live', { exact: true }).first().waitFor();
      assert.equal(((await page.evaluate(withinReach)) as string).includes('sess_'), false, path);
    }
    assert.deepEqual(
      addresses.filter((address) => address.includes('sess_')),
      [],
    );
    assert.equal(
      (await Promise.all(bodies)).some((body) => body.includes('sess_')),
      false,
    );
  });
});

/** A page of another origin on the same machine, which sends cookies where the browser lets it. */
async function foreignPage(): Promise<{ origin: string; [Symbol.asyncDispose](): Promise<void> }> {
  const elsewhere = createServer((_request, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>elsewhere</title>'),
  );
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  return {
    origin: `http://127.0.0.1:${(elsewhere.address() as { port: number }).port}`,
    [Symbol.asyncDispose]: async () => void elsewhere.close(),
  };
}

/** What a page gets for a request: a status, or that the browser blocks it. */
function ask(page: Page, path: string, init: object): Promise<string> {
  const script = `fetch(${JSON.stringify(url + path)}, ${JSON.stringify({ credentials: 'include', ...init })})
    .then((answer) => answer.type + ' ' + answer.status, () => 'kept from it')`;
  return page.evaluate<string>(script);
}

describe('a page of another origin of the same site', () => {
  test('reads nothing, changes nothing, and frames nothing', async () => {
    await using elsewhere = await foreignPage();
    await using tab = await fixture.openTab('/', { origin: url });
    // The cookie is sent from here: another port is the same site.
    const { page } = tab;
    await page.goto(elsewhere.origin);
    const before = await client.bots();
    const deletion = JSON.stringify({ bot_id: id, force: true });
    assert.equal(await ask(page, '/auth/me', {}), 'kept from it');
    assert.equal(await ask(page, `/bots/${id}/env`, {}), 'kept from it');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      assert.equal(
        await ask(page, '/bots/delete', {
          method: 'POST',
          body: deletion,
          mode: 'no-cors',
          headers: { 'Content-Type': type },
        }),
        'kept from it',
      );
    const json = { method: 'POST', body: deletion, headers: { 'Content-Type': 'application/json' } };
    assert.equal(await ask(page, '/bots/delete', json), 'kept from it');
    assert.deepEqual(
      (await client.bots()).map((bot) => bot.id),
      before.map((bot) => bot.id),
    );
    const { data } = await client.call<{ events: { type: string }[] }>('GET', `/bots/${id}/events?limit=50`);
    assert.equal(
      data.events.some(({ type }) => type === 'env.read'),
      false,
      'nothing was read either',
    );

    const framed = page.waitForEvent('console', (message) => /frame/i.test(message.text()));
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}/dashboard/' }))`,
    );
    assert.match((await framed).text(), /frame-ancestors|Refused to frame|refused to connect/i);
    tab.forgive('');
  });
});

describe('an uploaded page', () => {
  const evil = '<!doctype html><title>evil</title><script>document.title = "ran"; fetch("/auth/me")</script>';

  test('is downloaded and does not run, wherever it is asked for', async () => {
    for (const [path, type] of [
      ['evil.html', 'text/html'],
      ['evil.svg', 'image/svg+xml'],
    ] as const) {
      await client.writeFile(
        id,
        path,
        type === 'text/html' ? evil : `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='ran'"/>`,
      );
      for (const way of ['content', 'download']) {
        const address = `/bots/${id}/files/${way}?path=${path}`;
        const { headers } = await client.fetch('GET', address);
        assert.match(headers.get('Content-Disposition') ?? '', /^attachment/, address);
        assert.match(headers.get('Content-Security-Policy') ?? '', /sandbox/, address);
        assert.equal(headers.get('X-Content-Type-Options'), 'nosniff', address);
        await using tab = await fixture.openTab('/');
        const { page } = tab;
        const title = await page.title();
        const download = page.waitForEvent('download');
        await page.evaluate(`location.assign(${JSON.stringify(address)})`);
        await (await download).cancel();
        assert.equal(await page.title(), title);
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('iframe'), { src: '${address}', name: 'inside' }))`,
        );
        assert.equal(await page.title(), title);
        tab.forgive('');
      }
    }
  });

  test('is text in the editor', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/files?open=evil.html`);
    const { page } = tab;
    await page.locator('.cm-content').getByText('document.title').first().waitFor();
    assert.notEqual(await page.title(), 'ran');
    assert.equal(await page.locator('main script, main iframe').count(), 0);
  });
});

test('a page that would break its policy fails its tab', async () => {
  const tab = await fixture.openTab('/');
  await tab.page.evaluate(
    `document.head.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }))`,
  );
  await tab.page.evaluate(`fetch('http://127.0.0.1:9/').catch(() => undefined)`);
  await assert.rejects(() => tab[Symbol.asyncDispose](), /Content Security Policy/);
});
