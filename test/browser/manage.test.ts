// Settings, backups, schedules, app and deletion of a bot.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';
import { keyboardOn } from './hands.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;
let id = '';

before(async () => {
  id = (await client.createBot({ ...goodBot, startup_command: 'node echo' })).id;
});

test('settings are saved, only those that were changed, and the frame shows them', async () => {
  await using tab = await fixture.openTab(`/bots/${id}/settings`);
  const { page } = tab;
  const sent: unknown[] = [];
  page.on('request', (request) => request.url().endsWith('/bots/update') && sent.push(request.postDataJSON()));
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('night-desk');
  await page.getByLabel('Restart policy').selectOption('always');
  await page.getByLabel('Maximum retries').fill('7');
  await page.getByLabel('Disk (MB)').fill('512');
  await page.getByLabel('Network').selectOption('none');
  await page.getByRole('status').getByText('5 settings changed').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'night-desk', level: 1 }).waitFor();
  const policy = { mode: 'always', max_retries: 7, backoff_max_seconds: 300 };
  assert.deepEqual(sent, [{ bot_id: id, name: 'night-desk', disk_mb: 512, network: 'none', restart_policy: policy }]);
  const bot = await client.bot(id);
  assert.deepEqual([bot.name, bot.restart_policy, bot.memory, bot.network], ['night-desk', policy, 256, 'none']);
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0, 'nothing is left to save');
  await page.getByLabel('Disk (MB)').fill('1000000');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('Disk limit reached: 1000000MB of 10240MB').first().waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  assert.equal(await page.getByLabel('Disk (MB)').inputValue(), '512');
  tab.forgive('403');
});

for (const theme of ['light', 'dark'] as const)
  test(`settings have no fault in the ${theme} theme with changes, also on a phone`, async () => {
    await using tab = await fixture.openTab(`/bots/${id}/settings`, { theme, width: 360, locale: 'pt-BR' });
    const { page } = tab;
    await page.getByLabel('Rede').selectOption('internet');
    await page.getByText('1 configuração alterada').waitFor();
    await assertFits(page);
    await assertAccessible(page);
    await keepPicture(page, `settings-changed-${theme}`);
    await page.getByRole('button', { name: 'Descartar' }).click();
  });

test('a backup is made, locked and deleted; a schedule makes more', async () => {
  await using tab = await fixture.openTab(`/bots/${id}/backups`);
  const { page } = tab;
  await page.getByLabel('Backup name').fill('before the move');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByRole('button', { name: 'Lock before the move', exact: true }).click();
  await page.getByRole('button', { name: 'Unlock before the move' }).click();
  await page.getByRole('button', { name: 'Delete before the move' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No backups yet.').waitFor();
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('nightly');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByRole('button', { name: 'Run nightly now' }).waitFor();
  const { data } = await client.call<{ schedules: { cron: string; keep: number }[] }>('GET', `/bots/${id}/schedules`);
  assert.deepEqual([data.schedules[0]?.cron, data.schedules[0]?.keep], ['0 4 * * *', 3]);
});

test('an app gets a name that is checked while it is typed', async () => {
  await using tab = await fixture.openTab('/apps');
  const { page } = tab;
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('no');
  await page.getByText('3 to 32 characters.').waitFor();
  await name.fill('admin');
  await page.getByText('"admin" is a reserved name').waitFor();
  await name.fill('night-desk');
  await page.getByText(/^Available: http/).waitFor();
  await page.getByRole('button', { name: 'Create app' }).click();
  await page.getByRole('button', { name: 'Delete night-desk' }).waitFor();
  assert.equal((await client.bot(id)).app?.name, 'night-desk');
});

test('the menu of a bot copies it, with its files and variables, and leaves no backup behind', async () => {
  await client.call('POST', '/bots/env/set', { bot_id: id, set: { GREETING: 'good evening' } });
  await client.call('POST', `/bots/${id}/files/mkdir`, { path: 'rooms' });
  await client.call('POST', `/bots/${id}/files/template`, { template_id: 'nodejs' });
  await using tab = await fixture.openTab(`/bots/${id}`);
  const { page } = tab;
  const keys = keyboardOn(page);
  await keys.press(page.getByRole('button', { name: 'More actions', exact: true }).first());
  await page.getByRole('menuitem', { name: 'Kill Already offline' }).waitFor();
  await keys.choose(page.getByRole('menuitem', { name: 'Duplicate' }));
  const dialog = page.getByRole('dialog', { name: 'Duplicate night-desk?' });
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
  assert.equal(await name.inputValue(), 'night-desk-copy');
  await keys.type(name, 'day-desk');
  await dialog.getByLabel('Start it when it’s ready').check();
  await keys.press(dialog.getByRole('button', { name: 'Duplicate' }));
  await page.getByRole('heading', { name: 'day-desk', level: 1 }).waitFor();
  await page.getByText('Online', { exact: true }).waitFor();
  const copy = (await client.bots()).find((bot) => bot.name === 'day-desk');
  assert.ok(copy && copy.id !== id);
  const filesOf = async (botId: string) =>
    (
      await client.call<{ entries: { name: string; size_bytes: number }[] }>('GET', `/bots/${botId}/files`)
    ).data.entries.map((entry) => `${entry.name} ${entry.size_bytes}`);
  assert.deepEqual(await filesOf(copy.id), await filesOf(id));
  const { data } = await client.call<{ environment: object }>('GET', `/bots/${copy.id}/env`);
  assert.deepEqual(data.environment, { GREETING: 'good evening' });
  for (const each of [id, copy.id])
    assert.equal((await client.call<{ count: number }>('GET', `/bots/${each}/backups`)).data.count, 0);

  await page.getByRole('button', { name: 'More actions', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Kill' }).click();
  await page.getByRole('dialog', { name: 'Kill day-desk?' }).getByRole('button', { name: 'Kill' }).click();
  await page.getByText('Offline', { exact: true }).waitFor();
});

test('a copy that does not fit the plan says so beside its memory, and can be made smaller', async () => {
  const filler = await client.createBot({ ...goodBot, name: 'filler', memory: 3300 });
  await using tab = await fixture.openTab(`/bots/${id}`);
  const { page } = tab;
  await page.getByRole('button', { name: 'More actions', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('spinbutton').fill('1024');
  await dialog.getByRole('button', { name: 'Duplicate' }).click();
  await dialog.getByText(/^Insufficient memory: need 1024MB/).waitFor();
  await dialog.getByRole('button', { name: /^Use \d+ MB/ }).click();
  await dialog.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'night-desk-copy', level: 1 }).waitFor();
  tab.forgive('403');
  for (const bot of await client.bots())
    if (bot.id === filler.id || bot.name !== 'night-desk') await client.deleteBot(bot.id, true);
});

test('the menu of a bot saves its files', async () => {
  await using tab = await fixture.openTab(`/bots/${id}/settings`);
  const { page } = tab;
  await page.getByRole('button', { name: 'More actions', exact: true }).first().click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download files' }).click();
  assert.equal((await saved).suggestedFilename(), 'night-desk.zip');
});

test('a bot is deleted once its name was typed, after a backup was saved', async () => {
  await using tab = await fixture.openTab(`/bots/${id}/settings`);
  const { page } = tab;
  await page.getByRole('button', { name: 'More actions', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete night-desk?' });
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save a backup first' }).click();
  assert.match((await saved).suggestedFilename(), /\.tar\.gz$/);
  await dialog.getByLabel('Type night-desk to confirm').fill('night-desk');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Bots' }).waitFor();
  await until(async () => (await client.bots()).length === 0);
  tab.forgive('404');
});
