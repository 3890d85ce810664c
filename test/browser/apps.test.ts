// The Apps page: names checked while typing, edits, custom domains.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AppListData } from '@botel/contract/apps';
import { noTimes } from '../../packages/server/src/core/domain/response-times.ts';
import { AppMinutes } from '../../packages/server/src/core/store/app-minutes.ts';
import { Database } from '../../packages/server/src/core/store/database.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { assertAccessible, assertFits, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;
const { id: taken } = await stranger.createBot({ ...goodBot, memory: 128 });
await stranger.call('POST', '/apps/create', { bot_id: taken, name: 'theirs' });
const { id } = await client.createBot({ ...goodBot, name: 'site', memory: 128 });
const apps = async () => (await client.call<AppListData>('GET', '/apps')).data.apps;

test('a name is judged while it is typed, in the words of the API', async () => {
  await using tab = await fixture.openTab('/apps');
  const { page } = tab;
  const name = page.getByLabel('Name', { exact: true });
  for (const [typed, said] of [
    ['ab', '3 to 32 characters.'],
    ['-ab', 'Only lowercase letters'],
    ['admin', '"admin" is a reserved name'],
    ['theirs', '"theirs" is already taken'],
    ['my-site', 'Available: '],
  ] as const) {
    await name.fill(typed);
    await page.getByRole('status').filter({ hasText: said }).waitFor();
  }
  await page.getByText('.apps.localhost', { exact: true }).waitFor();
  await name.fill('theirs');
  await page.getByRole('button', { name: 'my-theirs' }).click();
  assert.equal(await name.inputValue(), 'my-theirs');
  await name.fill('my-site');
  await page.getByRole('status').filter({ hasText: 'Available: https://my-site.apps.localhost' }).waitFor();
  await page.getByRole('button', { name: 'Create app' }).click();
  await page.getByText('No requests yet.').waitFor();
  assert.deepEqual(
    (await apps()).map((app) => [app.name, app.bot_id]),
    [['my-site', id]],
  );
});

test('an app gets another name, port and path', async () => {
  await using tab = await fixture.openTab('/apps');
  const { page } = tab;
  await page.getByRole('button', { name: 'Edit the app my-site' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('our-site');
  await form.getByRole('status').filter({ hasText: 'Available: ' }).waitFor();
  await form.getByLabel('Port').fill('4000');
  await form.getByLabel('Health path').fill('/health');
  await assertAccessible(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('port 4000').waitFor();
  const [app] = await apps();
  assert.deepEqual([app?.name, app?.port, app?.health_path], ['our-site', 4000, '/health']);
});

test('what visitors got is shown: how many, how well, how fast, and how many were too many', async () => {
  const [app] = await apps();
  const at = Math.floor(Date.now() / 60_000) * 60_000;
  const bytes = { bytesIn: 0, bytesOut: 0 };
  const times = { msSum: 1, msMax: 240, times: noTimes.with(3, 1000).with(7, 188) };
  const counts = {
    requests: 1200,
    status2xx: 1088,
    status3xx: 0,
    status4xx: 12,
    status5xx: 100,
    refused: 12,
    timed: 1188,
  };
  const database = await Database.open(fixture.directory);
  await new AppMinutes(database).add([{ appId: app?.id ?? '', at, lastAt: at, ...counts, ...times, ...bytes }]);
  await database.close();
  await using tab = await fixture.openTab('/apps', { width: 360 });
  const { page } = tab;
  for (const text of ['1,200 requests in 24 h', '8.3% errors', '12 rate-limited', /^p95 2\d\d ms$/])
    await page.getByText(text).waitFor();
  await assertFits(page);
  await assertAccessible(page);
});

test('a domain is claimed with records to copy, looked at, and deleted', async () => {
  await using tab = await fixture.openTab('/apps', { width: 360 });
  const { page } = tab;
  await page.getByRole('button', { name: 'Domains' }).click();
  const field = page.getByLabel('Custom domain');
  await field.fill('not a name');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText(/hostname must be a hostname like/).waitFor();
  tab.forgive('400');
  await field.fill('www.example.com');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByRole('button', { name: 'Copy the value of the TXT record' }).waitFor();
  await assertFits(page);
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Verify now: www.example.com' }).click();
  // The name server of this server answers nothing.
  await page.getByText('The name servers gave no answer').waitFor();
  await page.getByRole('button', { name: 'Delete www.example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('www.example.com', { exact: true }).waitFor({ state: 'detached' });
});
