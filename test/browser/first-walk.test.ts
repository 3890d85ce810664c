// The first session: sign in, see the list, create a bot from a template, see it online; sign in by
// a link; continue after the session has expired.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { inDatabase } from '../../packages/server/test/api/database.ts';
import { adminEmail, adminPassword, goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client, server, url } = fixture;

describe('sign-in', () => {
  test('by password leads to where one wanted to go; the token is out of reach of scripts', async () => {
    await using tab = await fixture.openTab('/new', { guest: true });
    const { page, context } = tab;
    await page.getByLabel('Email').fill(adminEmail);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid email or password').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'New bot' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/dashboard/new');
    tab.forgive('401');
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.secure], [true, 'Strict', false]);
    const seen = await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })');
    assert.ok(!String(seen).includes('sess_'));
  });

  test('by a link works once, and the link leaves the address bar', async () => {
    const { id } = await server.services.accounts.create('guest@example.com', 'a long password', 'user');
    const path = `/login#${server.services.accounts.makeOneTimeToken(id)}`;
    {
      await using tab = await fixture.openTab(path, { guest: true });
      await tab.page.getByRole('link', { name: 'Create your first bot' }).waitFor();
      assert.equal(tab.page.url(), `${url}/dashboard/`);
    }
    await using again = await fixture.openTab(path, { guest: true });
    await again.page.getByText('This link was already used').waitFor();
    again.forgive('403');
  });
});

describe('bots', () => {
  test('one is made of a template, with a variable out of a pasted file, and is seen online', async () => {
    await using tab = await fixture.openTab('/');
    const { page } = tab;
    await page.getByRole('link', { name: 'Create your first bot' }).click();
    await page.getByRole('radio', { name: /receptionist/ }).check();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    assert.equal(await name.inputValue(), 'receptionist');
    await name.fill('front desk');
    await page.getByText('Only letters, numbers, underscores and hyphens.').waitFor();
    await name.fill('front-desk');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of variable 1').fill('GREETING');
    await page.getByLabel('Value of GREETING').fill('Hello');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: 'front-desk', level: 1 }).waitFor();
    const [bot] = await client.bots();
    assert.deepEqual([bot?.name, bot?.language, bot?.environment_keys], ['front-desk', 'nodejs', ['GREETING']]);
    const files = await client.call<{ count: number }>('GET', `/bots/${bot?.id}/files`);
    assert.ok(files.data.count >= 2);
    await page.getByText('Online', { exact: true }).waitFor();
  });

  test('a template says which token it needs, where that is found, and when one looks wrong', async () => {
    await using tab = await fixture.openTab('/new');
    const { page } = tab;
    await page.getByRole('radio', { name: /discord-js-bot/ }).check();
    await page.getByText('bot.js · package.json').waitFor();
    const token = page.getByLabel('Value of DISCORD_TOKEN');
    await page.getByText(/Reset Token/).waitFor();
    await token.fill('half of it');
    await page.getByText(/three parts separated by dots/).waitFor();
    await token.fill(`${'M'.repeat(24)}.${'a'.repeat(6)}.${'b'.repeat(38)}`);
    await page.getByText(/three parts separated by dots/).waitFor({ state: 'detached' });
    await assertAccessible(page);
    await page.getByRole('radio', { name: /grammy-bot/ }).check();
    await page.getByText(/@BotFather/).waitFor();
    assert.equal(await page.getByLabel('Value of TELEGRAM_TOKEN').inputValue(), '');
    assert.match(await token.inputValue(), /^M{24}/);
  });

  test('change in the list as things happen, without a reload', async () => {
    const { id } = await client.createBot({ ...goodBot, name: 'watched', startup_command: 'node echo' });
    await using tab = await fixture.openTab('/?q=watched');
    const row = tab.page.getByRole('row', { name: /watched/ });
    await row.getByText('Offline', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Start: watched', exact: true }).click();
    await row.getByText('Online', { exact: true }).waitFor();
    await client.lifecycle('stop', id);
    await row.getByText('Offline', { exact: true }).waitFor();
    await client.deleteBot(id);
    await row.waitFor({ state: 'detached' });
  });

  test('show what they use as a curve that grows, and how much of the day they were up', async () => {
    const { id } = await client.createBot({ ...goodBot, name: 'curved', memory: 128, startup_command: 'node echo' });
    // Newer bots show no uptime yet.
    const anHourAgo = Date.now() - 3_600_000;
    await inDatabase(fixture, (db) =>
      db.updateTable('bots').set({ created_at: anHourAgo }).where('id', '=', id).execute(),
    );
    await using tab = await fixture.openTab('/?q=curved');
    const row = tab.page.getByRole('row', { name: /curved/ });
    assert.equal(await row.getByRole('img', { name: /^CPU over the last few minutes/ }).count(), 0);
    await client.lifecycle('start', id);
    await row.getByText('Online', { exact: true }).waitFor();
    const container = fixture.machine.containers().find(({ botId }) => botId === id);
    assert.ok(container);
    const used = { memoryBytes: 40 * 1024 * 1024, pids: 3, netRxBytes: 0, netTxBytes: 0 };
    container.usage = { ...used, cpuMicros: 0 };
    await server.runTask('collect-usage');
    await row.getByText('40 / 128 MB').waitFor();
    container.usage = { ...used, cpuMicros: 10_000_000_000 };
    await server.runTask('collect-usage');
    await row.getByRole('img', { name: /: [1-9].* now/ }).waitFor();
    await row.getByText(/^\d+(\.\d)?%up/).waitFor();
    await client.lifecycle('stop', id);
    await client.deleteBot(id, true);
  });

  test('are started many at a time', async () => {
    for (const name of ['twin-a', 'twin-b'])
      await client.createBot({ ...goodBot, name, memory: 128, startup_command: 'node echo' });
    await using tab = await fixture.openTab('/?q=twin');
    await tab.page.getByLabel('Select all shown').check();
    await tab.page.getByRole('toolbar').getByRole('button', { name: 'Start', exact: true }).click();
    await until(async () => {
      const twins = (await client.bots()).filter(({ name }) => name.startsWith('twin'));
      return twins.every(({ status }) => status === 'online');
    });
  });
});

describe('a session that ended', () => {
  test('is begun again over the page, and what was typed is still there', async () => {
    await using tab = await fixture.openTab('/new', { guest: true });
    const { page } = tab;
    await page.getByLabel('Email').fill(adminEmail);
    await page.getByLabel('Password', { exact: true }).fill(adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('radio', { name: /concierge/ }).check();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('kept');
    await tab.context.clearCookies();
    await page.getByRole('button', { name: 'Create and start' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(adminPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue(), 'kept');
    tab.forgive('401');
  });
});
