// The API reference: all operations of openapi.json, rendered without requests to other origins.
// axe does not check it: its markup is Scalar's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());

const { paths }: { paths: Record<string, Record<string, { summary: string }>> } = JSON.parse(
  readFileSync(checkoutPath('openapi.json'), 'utf8'),
);
const summaries = Object.values(paths).flatMap((path) => Object.values(path).map(({ summary }) => summary));

for (const theme of ['light', 'dark'] as const)
  test(`is reached from the dashboard and shows every operation (${theme})`, async () => {
    await using tab = await fixture.openTab('/', { theme, width: 1400 });
    const { page } = tab;
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { name: 'Botel', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/docs');
    const body = page.locator(`body.${theme}-mode`);
    await body.getByText('Start a bot; returns at once').first().waitFor();
    const shown = await body.innerText();
    const missing = summaries.filter((summary) => !shown.includes(summary));
    assert.deepEqual(missing, []);
  });
