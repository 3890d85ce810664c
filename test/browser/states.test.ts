// Refused actions, empty and failed pages, and keyboard use. States of every page:
// page-states.test.ts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, startBrowser } from './fixture.ts';

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

/** Makes the API refuse `path` from now on. */
async function refuse(page: Page, path: RegExp, { status, code, error }: Refusal): Promise<void> {
  await page.route(path, (route) =>
    route.fulfill({
      status,
      headers: { 'X-Error-Code': code, 'X-Request-Id': 'request-of-the-test' },
      json: { success: false, error },
    }),
  );
}

describe('an action that is refused', () => {
  test('says so in the words of the server, until that is closed', async () => {
    await using tab = await fixture.openTab(`/bots/${id}`);
    const { page } = tab;
    await refuse(page, /\/bots\/start$/, {
      status: 403,
      code: 'disk_limit',
      error: 'Disk limit reached: 20MB of 10MB',
    });
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Disk limit reached: 20MB of 10MB').waitFor();
    tab.forgive('403');
  });

  test('for want of memory is said beside the slider, with what is left', async () => {
    await using tab = await fixture.openTab('/new');
    const { page } = tab;
    await page.getByRole('radio', { name: /receptionist/ }).check();
    await page.getByRole('spinbutton').fill('9000');
    await page.getByText('Your plan has 3,840 MB left.').waitFor();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByText('Insufficient memory: need 9000MB, only 3840MB available').waitFor();
    await page.getByRole('button', { name: 'Use 3,840 MB' }).click();
    assert.equal(await page.getByRole('spinbutton').inputValue(), '3840');
    tab.forgive('403');
  });
});

test('what was read before a failure stays, and says how old it is', async () => {
  await using tab = await fixture.openTab('/');
  const { page } = tab;
  const row = page.getByRole('row', { name: /greeter/ });
  await row.waitFor();
  await refuse(page, /\/bots\?limit=100$/, { status: 500, code: 'internal', error: 'Internal server error' });
  await client.call('POST', '/bots/update', { bot_id: id, memory: 128 });
  const card = page.getByRole('alert').filter({ hasText: 'Internal server error' });
  await card.getByText(/^Last updated .* ago$|^Last updated now$/).waitFor();
  assert.ok(await row.isVisible());
  await assertAccessible(page);
  await page.unrouteAll();
  await card.getByRole('button', { name: 'Try again' }).click();
  await card.waitFor({ state: 'detached' });
  tab.forgive('500');
});

describe('by keyboard alone', () => {
  test('a bot is found and started, help is opened and closed, one goes about', async () => {
    await using tab = await fixture.openTab('/account');
    const { page } = tab;
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
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
