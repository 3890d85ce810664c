// What is managed around a bot: settings, backups, schedules, its app, its end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { goodBot, until } from '../../packages/server/test/fixture.ts';
import { startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;
let id = '';

before(async () => {
  id = (await client.createBot({ ...goodBot, startup_command: 'node echo' })).id;
});

test('settings are saved, and the frame shows them', async () => {
  await using visit = await fixture.visit(`/bots/${id}/settings`);
  const { page } = visit;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('night-desk');
  await page.getByLabel('When it ends by itself').selectOption('always');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'night-desk', level: 1 }).waitFor();
  const bot = await client.bot(id);
  assert.deepEqual([bot.name, bot.restart_policy.mode, bot.memory], ['night-desk', 'always', 256]);
});

test('a backup is made, locked and deleted; a schedule makes more', async () => {
  await using visit = await fixture.visit(`/bots/${id}/backups`);
  const { page } = visit;
  await page.getByLabel('Name of the backup').fill('before the move');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByRole('button', { name: 'Lock before the move', exact: true }).click();
  await page.getByRole('button', { name: 'Unlock before the move' }).click();
  await page.getByRole('button', { name: 'Delete before the move' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No backups yet.').waitFor();
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('nightly');
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  await page.getByRole('button', { name: 'Run nightly now' }).waitFor();
  const { data } = await client.call<{ schedules: { cron: string; keep: number }[] }>('GET', `/bots/${id}/schedules`);
  assert.deepEqual([data.schedules[0]?.cron, data.schedules[0]?.keep], ['0 4 * * *', 3]);
});

test('an app gets a name that is checked while it is typed', async () => {
  await using visit = await fixture.visit('/apps');
  const { page } = visit;
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('no');
  await page.getByText('Between 3 and 32 characters.').waitFor();
  await name.fill('admin');
  await page.getByText('"admin" is a reserved name').waitFor();
  await name.fill('night-desk');
  await page.getByText(/^Free: http/).waitFor();
  await page.getByRole('button', { name: 'Make the app' }).click();
  await page.getByRole('button', { name: 'Delete night-desk' }).waitFor();
  assert.equal((await client.bot(id)).app?.name, 'night-desk');
});

test('a bot is deleted once its name was typed', async () => {
  await using visit = await fixture.visit(`/bots/${id}/settings`);
  const { page } = visit;
  await page.getByRole('button', { name: 'Delete this bot' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete night-desk?' });
  await dialog.getByLabel('Type night-desk to go on').fill('night-desk');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Bots' }).waitFor();
  await until(async () => (await client.bots()).length === 0);
  visit.forgive('404');
});
