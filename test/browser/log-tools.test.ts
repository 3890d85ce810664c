// Log lines: select one, show its context, link to it, start at a run, download a part; the metrics
// beside them; the runs and events that link to them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';
import { startLogSource } from './log-source.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client, machine, server } = fixture;

/** Numbers of the rendered lines. */
async function shown(page: Page): Promise<number> {
  return page.locator('[role=log] [data-stream=stdout]').count();
}

async function save(page: Page, choices: (page: Page) => Promise<void>): Promise<{ name: string; lines: string[] }> {
  await page.getByRole('button', { name: 'More actions for these lines' }).click();
  await page.getByRole('menuitem', { name: 'Download …' }).click();
  await choices(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  return { name: download.suggestedFilename(), lines };
}

describe('a line', () => {
  test('is singled out, linked to, and seen among its neighbours', async () => {
    const { botId, write } = await startLogSource(fixture, 'lines');
    for (let line = 1; line <= 30; line++) write(`[${line === 20 ? 'ERROR' : 'INFO'}] line ${line}`);
    await using tab = await fixture.openTab(`/bots/${botId}`);
    const { page } = tab;
    await page.getByText('line 30', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Filters and view' }).click();
    await page.getByLabel('Level').selectOption('error');
    await until(async () => (await shown(page)) === 1);
    await page.getByLabel('Search log').fill('line 20');
    await page.keyboard.press('Enter');
    const bar = page.getByRole('button', { name: 'Show in context' });
    await bar.click();
    await until(async () => (await shown(page)) === 31);
    const seq = new URL(page.url()).searchParams.get('at');
    assert.match((await page.locator(`[data-seq="${seq}"]`).textContent()) ?? '', /line 20$/);
    assert.equal(await bar.count(), 0, 'nothing is filtered any more');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), page.url());
    await page.getByRole('button', { name: 'Deselect line' }).click();
    await page.getByRole('button', { name: 'Copy link' }).waitFor({ state: 'detached' });
  });

  test('its time leads to it', async () => {
    const { botId, write } = await startLogSource(fixture, 'times');
    for (let line = 1; line <= 5; line++) write(`line ${line}`);
    await using tab = await fixture.openTab(`/bots/${botId}`);
    const { page } = tab;
    await page.locator('[data-stream=stdout]', { hasText: 'line 3' }).getByRole('link').click();
    await page.getByText(/^Line \d+$/).waitFor();
    assert.match(page.url(), /\?at=\d+$/);
  });
});

describe('lines are saved', () => {
  test('those shown, of a run, of a span of time, or all', async () => {
    const { botId, write } = await startLogSource(fixture, 'saved');
    for (let line = 1; line <= 3; line++) write(`line ${line}`);
    await using tab = await fixture.openTab(`/bots/${botId}`);
    const { page } = tab;
    await page.getByText('line 3', { exact: true }).waitFor();
    const seen = await save(page, async () => undefined);
    assert.deepEqual([seen.name, seen.lines.at(-1)], ['saved.log', 'line 3']);
    const ofRun = await save(page, async () => {
      await page.getByLabel('One run').check();
      await page.getByLabel('JSON Lines (.jsonl)').check();
      await assertAccessible(page);
    });
    assert.equal((JSON.parse(ofRun.lines.at(-1) ?? '') as { text: string }).text, 'line 3');
    const none = await save(page, async () => {
      await page.getByLabel('Time range').check();
      await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    });
    assert.deepEqual(none.lines, ['']);
    const all = await save(page, () => page.getByLabel('Entire log').check());
    assert.match(all.lines.at(-1) ?? '', /line 3$/);
  });
});

describe('runs and events', () => {
  let id = '';
  before(async () => {
    id = (await client.createBot({ ...goodBot, memory: 128, startup_command: 'node exit 7 after 0' })).id;
    await client.call('POST', '/bots/update', { bot_id: id, restart_policy: { mode: 'never' } });
    for (const run of [1, 2]) {
      await client.lifecycle('start', id);
      await until(async () => (await client.bot(id)).last_exit?.run === run);
    }
  });

  test('a run says how it ended, and leads to its lines', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/activity`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Runs' }).click();
    await page.getByText('Exited with code 7').first().waitFor();
    await page.getByRole('link', { name: 'Log of run 1', exact: true }).click();
    await page.getByText(/Run 1 ended after .*Exited with code 7/).waitFor();
    assert.equal(await page.getByText(/Run 2 ended after/).count(), 0);
    assert.equal(await page.getByText(/^Run 1, from /).count(), 1);
  });

  test('the banner of an end leads to the last lines of its run', async () => {
    await using tab = await fixture.openTab(`/bots/${id}`);
    const { page } = tab;
    await page.getByRole('link', { name: 'Show in log' }).click();
    await page.waitForURL(/\?run=2$/);
    await page.getByText(/Run 2 ended after .*Exited with code 7/).waitFor();
    assert.equal(await page.getByText(/Run 1 ended after/).count(), 0);
  });

  test('an event says who did it and from where', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/activity`);
    const { page } = tab;
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.getByText('admin@example.com via API').first().waitFor();
    await page.getByText('Bot "greeter" was updated: restart_policy').waitFor();
    await page.goto(page.url().replace('/activity', '/settings'));
    await page.getByLabel('Allow console input (stdin)').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('admin@example.com via dashboard').waitFor();
  });

  for (const theme of ['light', 'dark'] as const)
    test(`have no fault in the ${theme} theme, also in Portuguese on a phone`, async () => {
      for (const look of [{ theme }, { theme, width: 320, locale: 'pt-BR' as const }])
        for (const view of ['events', 'runs']) {
          await using tab = await fixture.openTab(`/bots/${id}/activity?view=${view}`, look);
          await tab.page.getByRole('listitem').first().waitFor();
          await assertFits(tab.page);
          await assertAccessible(tab.page);
          await keepPicture(tab.page, `activity-${view}-${theme}${look.locale ? '-phone' : ''}`);
        }
    });
});

test('the numbers are one line that opens where there is no room beside the log, and it stays open', async () => {
  const { botId } = await startLogSource(fixture, 'numbers');
  const container = machine.containers().find((each) => each.botId === botId);
  assert.ok(container);
  container.usage = { cpuMicros: 1, memoryBytes: 33 * 1024 * 1024, pids: 2, netRxBytes: 2048, netTxBytes: 1024 };
  await server.runTask('collect-usage');
  await using tab = await fixture.openTab(`/bots/${botId}`, { width: 360 });
  const { page } = tab;
  const line = page.getByRole('button', { name: /Usage.* 33 MB/ });
  await line.click();
  await page.getByText('2 KB in, 1 KB out').waitFor();
  await page.getByText('Uptime, 24 h').waitFor();
  await assertFits(page);
  await assertAccessible(page);
  await page.reload();
  await page.getByText('2 KB in, 1 KB out').waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await line.waitFor({ state: 'detached' });
  await page.getByText('2 KB in, 1 KB out').waitFor();
});
