// What pages show while they have nothing to show, could not get it, or lost the connection; and what can be done by keyboard.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { goodBot, until } from '../../packages/server/test/fixture.ts';
import { assertAccessible, assertFits, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;
let id = '';

before(async () => {
  id = (await client.createBot({ ...goodBot, startup_command: 'node echo' })).id;
});

interface Refusal {
  status: number;
  code: string;
  error: string;
}

/** The API refuses `path` from now on, in words of its own. */
async function refuse(page: Page, path: RegExp, { status, code, error }: Refusal): Promise<void> {
  await page.route(path, (route) =>
    route.fulfill({
      status,
      headers: { 'X-Error-Code': code, 'X-Request-Id': 'request-of-the-test' },
      json: { success: false, error },
    }),
  );
}

/** What each page reads first, and where. */
const pages: [path: () => string, reads: RegExp, word: string][] = [
  [() => '/', /\/bots\?limit/, 'greeter'],
  [() => `/bots/${id}`, /\/bots\/[0-9a-f-]{36}$/, 'greeter'],
  [() => `/bots/${id}/backups`, /\/backups$/, 'No backups yet.'],
  [() => `/bots/${id}/activity`, /\/events\?limit/, 'Bot "greeter" was created'],
  [() => `/bots/${id}/metrics`, /\/metrics\?range/, 'There are no numbers for this time yet.'],
  [() => '/new', /\/templates$/, 'receptionist'],
  [() => '/apps', /\/apps\?limit/, 'No apps yet.'],
];

for (const [path, reads, word] of pages)
  describe(`a page that reads ${reads.source}`, () => {
    test('says that it loads, and shows what comes', async () => {
      await using visit = await fixture.visit('/account');
      const { page } = visit;
      const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
      const isApi = (url: URL) => reads.test(url.pathname + url.search) && !url.pathname.startsWith('/dashboard');
      await page.route(isApi, async (route) => {
        await mayAnswer;
        await route.continue();
      });
      await page.goto(`${fixture.url}/dashboard${path()}`);
      await page.getByRole('status').getByText('Loading').first().waitFor({ state: 'attached' });
      answer();
      await page.getByText(word).first().waitFor();
    });

    test('shows the words of a failure, with the id of the request, and tries again', async () => {
      await using visit = await fixture.visit('/account');
      const { page } = visit;
      const isApi = new RegExp(`^${RegExp.escape(fixture.url)}(?!/dashboard).*${reads.source}`);
      await refuse(page, isApi, { status: 500, code: 'internal', error: 'Internal server error' });
      await page.goto(`${fixture.url}/dashboard${path()}`);
      const card = page.getByRole('alert').filter({ hasText: 'Internal server error' }).first();
      await card.waitFor();
      assert.match(await card.innerText(), /Request request-of-the-test/);
      await assertAccessible(page);
      await page.unroute(isApi);
      await card.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(word).first().waitFor();
      visit.forgive('500');
    });
  });

describe('the connection', () => {
  test('that is lost is said, tried again, and found again', async () => {
    await using visit = await fixture.visit('/account');
    const { page } = visit;
    const stream = /\/events\/stream$/;
    await page.route(stream, (route) => route.abort());
    await page.goto(`${fixture.url}/dashboard/`);
    await page.getByText(/Connection lost, trying again in/).waitFor();
    await page.unroute(stream);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    visit.forgive('ERR_FAILED');
  });
});

describe('an action that is refused', () => {
  test('says so in the words of the server, until that is closed', async () => {
    await using visit = await fixture.visit(`/bots/${id}`);
    const { page } = visit;
    await refuse(page, /\/bots\/start$/, {
      status: 403,
      code: 'disk_limit',
      error: 'Disk limit reached: 20MB of 10MB',
    });
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Disk limit reached: 20MB of 10MB').waitFor();
    visit.forgive('403');
  });

  test('for want of memory is said beside the slider, with what is left', async () => {
    await using visit = await fixture.visit('/new');
    const { page } = visit;
    await page.getByRole('radio', { name: /receptionist/ }).check();
    await page.getByRole('spinbutton').fill('9000');
    await page.getByText('Your plan has 3,840 MB left.').waitFor();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByText('Insufficient memory: need 9000MB, only 3840MB available').waitFor();
    await page.getByRole('button', { name: 'Use 3,840 MB' }).click();
    assert.equal(await page.getByRole('spinbutton').inputValue(), '3840');
    visit.forgive('403');
  });
});

describe('text of twice the size', () => {
  for (const path of ['/', '/new', '/account'])
    test(`fits on ${path}`, async () => {
      await using visit = await fixture.visit(path, { width: 640 });
      await visit.page.getByRole('heading', { level: 1 }).waitFor();
      await visit.page.evaluate('document.documentElement.style.fontSize = "200%"');
      await assertFits(visit.page);
    });
});

describe('by keyboard alone', () => {
  test('a bot is found and started, help is opened and closed, one goes about', async () => {
    await using visit = await fixture.visit('/account');
    const { page } = visit;
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('start: greeter');
    await page.getByRole('option', { name: 'Start: greeter', exact: true }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await until(async () => (await client.bot(id)).status === 'online');
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.getByRole('heading', { name: 'Bots' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New bot' }).waitFor();
  });
});
