// Backups of a bot: created while it is stopped, verified, downloaded, restored here or to a new
// bot.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { BackupListData } from '@botel/contract/backups';
import type { EventListData } from '@botel/contract/bot-events';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;
let id = '';

before(async () => {
  id = (await client.createBot({ ...goodBot, memory: 128, startup_command: 'node echo' })).id;
  await client.lifecycle('start', id);
  await until(async () => (await client.bot(id)).status === 'online');
});

const list = async () => (await client.call<BackupListData>('GET', `/bots/${id}/backups`)).data.backups;

describe('a backup', () => {
  test('is made while the bot stands still, which runs again afterwards', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/backups`);
    const { page } = tab;
    await page.getByLabel('Stop the bot during the backup').check();
    await page.getByLabel('Backup name').fill('at rest');
    await page.keyboard.press('Enter');
    await page.getByText('Backup "at rest" created successfully.').waitFor();
    await page.getByRole('button', { name: 'Restore at rest' }).waitFor();
    await until(async () => (await client.bot(id)).status === 'online');
    const { data } = await client.call<EventListData>('GET', `/bots/${id}/events?limit=100`);
    const types = data.events.map(({ type }) => type).toReversed();
    const made = types.indexOf('backup.completed');
    assert.equal(types[made - 1], 'bot.offline');
    assert.equal(types[made + 1], 'bot.starting');
  });

  test('has a checksum that is that of its file', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/backups`);
    const { page } = tab;
    const [backup] = await list();
    assert.ok(backup);
    await page.getByText(backup.sha256.slice(0, 12)).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the checksum of at rest' }).click();
    await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === backup.sha256);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download at rest' }).click(),
    ]);
    assert.equal(readFileSync(await download.path()).length, backup.size_bytes);
  });

  test('becomes a new bot while its own runs on', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/backups`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Restore at rest' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore at rest?' });
    await dialog.getByLabel('Restore this bot').check();
    assert.equal(await dialog.getByRole('button', { name: 'Restore' }).getAttribute('aria-disabled'), 'true');
    await dialog.getByLabel('Restore to a new bot').check();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('twin');
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Create bot' }).click();
    await page.getByRole('heading', { name: 'twin', level: 1 }).waitFor();
    assert.equal((await client.bot(id)).status, 'online');
    assert.equal((await client.bots()).find(({ name }) => name === 'twin')?.memory, 128);
  });

  test('is restored into its bot once that is offline, after another backup', async () => {
    await client.lifecycle('stop', id);
    await until(async () => (await client.bot(id)).status === 'offline');
    await using tab = await fixture.openTab(`/bots/${id}/backups`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Restore at rest' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('Before a restore').waitFor();
    await until(async () => (await client.bot(id)).phase === null);
    assert.deepEqual(
      (await list()).map(({ trigger }) => trigger),
      ['safety', 'manual'],
    );
  });

  for (const theme of ['light', 'dark'] as const)
    test(`has no fault in the ${theme} theme, also in Portuguese on a phone`, async () => {
      for (const look of [{ theme }, { theme, width: 320, locale: 'pt-BR' as const }]) {
        await using tab = await fixture.openTab(`/bots/${id}/backups`, look);
        await tab.page.getByText('at rest').first().waitFor();
        await assertFits(tab.page);
        await assertAccessible(tab.page);
        await keepPicture(tab.page, `backups-${theme}${look.locale ? '-phone' : ''}`);
      }
    });
});
