// Each page × what can go wrong: loading, failure, forbidden, partial data, lost connection,
// expired session. One tab per page and group of states, by intercepting its requests; the session
// is real.
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { adminPassword } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';
import { startCuttingProxy } from './log-source.ts';
import { allPages, type PageRow } from './page-table.ts';

const fixture = await startBrowser();
const proxy = await startCuttingProxy(fixture.url);
after(async () => {
  await proxy[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});
beforeEach(() => {
  proxy.isDown = false;
});
const { client, server } = fixture;
const pages = await allPages(fixture);
const { user } = (await client.call<{ user: { id: string } }>('GET', '/auth/me')).data;

/** Lets `handle` answer API requests for `reads`, until the returned function is called. */
async function intercept(
  page: Page,
  reads: RegExp,
  handle: (route: Route) => Promise<void>,
): Promise<() => Promise<void>> {
  const isMeant = (url: URL) => !url.pathname.startsWith('/dashboard') && reads.test(url.pathname + url.search);
  await page.route(isMeant, (route) => handle(route).catch(() => undefined));
  return () => page.unroute(isMeant);
}

const refusal = (status: number, code: string, error: string) => (route: Route) =>
  route.fulfill({
    status,
    headers: { 'X-Error-Code': code, 'X-Request-Id': 'request-of-the-test' },
    json: { success: false, error },
  });

const show = (page: Page, { path }: PageRow) => page.goto(`${proxy.url}/dashboard${path}`);
const isThere = (page: Page, { english }: PageRow) =>
  page.getByText(english).filter({ visible: true }).first().waitFor();

for (const row of pages.filter((each) => each.reads !== null))
  describe(row.name, () => {
    const reads = row.reads!;

    test('waits, fails, is forbidden, gets a part', async () => {
      await using tab = await fixture.openTab('/account', { origin: proxy.url });
      const { page } = tab;
      await page.clock.install();

      const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
      let asked = 0;
      let end = await intercept(page, reads, async (route) => {
        asked++;
        await mayAnswer;
        await route.continue();
      });
      await show(page, row);
      await page.getByRole('status').getByText('Loading').first().waitFor({ state: 'attached' });
      await page.clock.runFor(10_500);
      const again = page.getByRole('main').getByRole('button', { name: 'Try again' }).first();
      await again.waitFor();
      await keepPicture(page, `state-${row.name}-slow`);
      const before = asked;
      await again.click();
      await until(async () => asked > before);
      answer();
      await isThere(page, row);
      await end();

      end = await intercept(page, reads, refusal(500, 'internal', 'Internal server error'));
      await show(page, row);
      const card = page.getByRole('alert').filter({ hasText: 'Internal server error' }).first();
      await card.waitFor();
      assert.match(await card.innerText(), /Request request-of-the-test/);
      await assertAccessible(page);
      await keepPicture(page, `state-${row.name}-error`);
      await end();
      await card.getByRole('button', { name: 'Try again' }).click();
      await isThere(page, row);

      end = await intercept(page, reads, refusal(403, 'missing_permission', 'Missing permission: all'));
      await show(page, row);
      await page.getByRole('alert').filter({ hasText: 'Missing permission: all' }).first().waitFor();
      await end();

      if (row.partly) {
        end = await intercept(page, row.partly, refusal(500, 'internal', 'Internal server error'));
        await show(page, row);
        await isThere(page, row);
        await assertFits(page);
        await end();
      }
      tab.forgive('Failed to load resource');
    });

    const { typed, text = 'typed-text' } = row;
    if (!typed) return;
    test('loses the connection and its session, and nothing that was typed', async () => {
      const { token } = await server.services.accounts.issueToken(user.id);
      await using tab = await fixture.openTab(row.path, { origin: proxy.url, token });
      const { page } = tab;
      await isThere(page, row);
      await page.getByText('Live', { exact: true }).first().waitFor();
      await row.prepare?.(page);
      await typed(page).fill(text);

      proxy.isDown = true;
      proxy.cut();
      const banner = page.getByText(/Connection lost. Reconnecting in/).first();
      await banner.waitFor();
      const action = row.sends?.(page);
      if (action) {
        await until(async () => (await action.getAttribute('aria-disabled')) === 'true');
        const reason = (await action.getAttribute('aria-describedby'))?.split(' ')[0] ?? '';
        assert.equal(await page.locator(`[id="${reason}"]`).textContent(), 'No connection to Botel');
      }
      await keepPicture(page, `state-${row.name}-away`);
      proxy.isDown = false;
      await page
        .getByRole('banner')
        .or(page.locator('body'))
        .getByRole('button', { name: 'Try again' })
        .first()
        .click();
      await banner.waitFor({ state: 'detached' });
      if (action) await until(async () => (await action.getAttribute('aria-disabled')) !== 'true');

      const { data } = await client.call<{ sessions: { id: string; created_at: string }[] }>('GET', '/auth/sessions');
      const [newest] = data.sessions.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
      await client.call('POST', '/auth/sessions/revoke', { session_id: newest?.id });
      proxy.cut();
      const dialog = page.getByRole('dialog', { name: 'Sign in again' });
      await dialog.waitFor();
      await keepPicture(page, `state-${row.name}-signed-out`);
      await dialog.getByLabel('Password', { exact: true }).fill(adminPassword);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'detached' });
      await isThere(page, row);
      assert.equal(await typed(page).inputValue(), text);
      tab.forgive('Failed to load resource');
      tab.forgive('ERR_');
    });
  });
