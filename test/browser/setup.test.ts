// The first run: the printed link creates the first account, shows the system check, and leads to
// the first bot. It works once.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig } from '../../packages/server/src/core/config/config.ts';
import { Server } from '../../packages/server/src/cli/server.ts';
import { noRates } from '../../packages/server/test/support/no-rates.ts';
import { assertAccessible, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());

const directory = mkdtempSync(join(tmpdir(), 'botel-setup-'));
const settings = {
  BOTEL_PORT: '0',
  BOTEL_GATEWAY_PORT: '0',
  BOTEL_DATA_DIR: directory,
  BOTEL_ENGINE: 'fake',
  BOTEL_LOG_LEVEL: 'silent',
  BOTEL_DISK_REFUSE_PERCENT: '100',
  ...noRates,
};
const fresh = await Server.create(loadConfig(settings, directory), { periodicTasks: false });
const origin = await fresh.start();
after(async () => {
  await fresh.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('the link makes the first account, once', async () => {
  const token = await fresh.services.accounts.makeSetupToken();
  {
    await using tab = await fixture.openTab(`/setup#${token}`, { guest: true, origin });
    const { page } = tab;
    assert.equal(page.url(), `${origin}/dashboard/setup`);
    await page.getByText('https://my-app.apps.localhost').waitFor();
    await page.getByLabel('Email').fill('first@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a long password');
    await page.getByLabel('Language').selectOption('pt-BR');
    await page.getByRole('heading', { name: 'Bem-vindo ao Botel' }).waitFor();
    await assertAccessible(page);
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'first@example.com', 'nothing typed is lost');
    await page.getByLabel('Idioma').selectOption('en');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('BOTEL_ENGINE is fake: bots do not really run').waitFor();
    for (const name of ['Docker and images', 'Data and disk', 'Ports', 'Apps and TLS', 'Clock'])
      await page.getByText(name, { exact: false }).first().waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Create your first bot' }).click();
    await page.getByRole('heading', { name: 'New bot' }).waitFor();
    assert.ok(await page.getByRole('radio', { name: /^receptionist/ }).isChecked());
  }
  await using again = await fixture.openTab(`/setup#${token}`, { guest: true, origin });
  await again.page.getByLabel('Email').fill('second@example.com');
  await again.page.getByLabel('Password', { exact: true }).fill('a long password');
  await again.page.getByRole('button', { name: 'Create account' }).click();
  await again.page.getByText('Setup is already done. Sign in instead.').waitFor();
  again.forgive('404');
});

test('without the link there is nothing to fill in', async () => {
  await using tab = await fixture.openTab('/setup', { guest: true, origin });
  await tab.page.getByText('Open the one-time setup link').waitFor();
});
