// The metrics of a bot: charts with markers, summaries, tables, and keyboard use.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';
import { seedMetrics } from './seeded-metrics.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client, machine, server } = fixture;
let id = '';

before(async () => {
  id = (await client.createBot({ ...goodBot, startup_command: 'node echo' })).id;
  await client.lifecycle('start', id);
  await until(async () => (await client.bot(id)).status === 'online');
  await seedMetrics(fixture, id);
});

describe('metrics', () => {
  test('are read point by point with the keyboard, in all charts at once', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/metrics?range=1h`);
    const { page } = tab;
    const cpu = page.getByRole('slider', { name: 'CPU (% of limit): point in time' });
    await cpu.focus();
    await page.keyboard.press('Home');
    assert.equal(await cpu.getAttribute('aria-valuenow'), '0');
    assert.match((await cpu.getAttribute('aria-valuetext')) ?? '', /^([A-Z][a-z]{2} \d+, )?\d\d:\d\d, [\d.]+%$/);
    const memory = page.getByRole('slider', { name: 'Memory: point in time' });
    assert.equal(await memory.getAttribute('aria-valuenow'), '0');
    const texts: string[] = [];
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('ArrowRight');
      texts.push((await cpu.getAttribute('aria-valuetext')) ?? '');
    }
    assert.ok(
      texts.some((text) => text.includes('no data')),
      'the time offline is a gap',
    );
    assert.ok(
      texts.some((text) => text.endsWith(', Crashed')),
      'what happened is said where it happened',
    );
    await page.keyboard.press('Tab');
    assert.equal(await memory.getAttribute('aria-valuenow'), String(60 - 1), 'left: the newest');
  });

  test('what happened is said when it is reached or pointed at', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/metrics?range=1h`);
    const { page } = tab;
    const signs = page.getByRole('toolbar', { name: 'Timeline' }).getByRole('button');
    await signs.first().waitFor();
    await signs.last().focus();
    await page.keyboard.press('Home');
    const said = page.locator('[data-said]');
    assert.match((await said.textContent()) ?? '', /Crashed$/);
    assert.match((await page.locator(':focus').getAttribute('aria-label')) ?? '', /Crashed$/);
    await page.getByRole('button', { name: / Backup$/ }).hover();
    assert.match((await said.textContent()) ?? '', /Backup$/);
    await page.getByText(/Online [\d.]+% of the time · .*Crashed: 1 · .*Built: 1/).waitFor();
  });

  test('are a table, and a file', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/metrics?range=6h`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Memory as a table' }).click();
    const rows = page.getByRole('region', { name: 'Memory as a table' }).getByRole('row');
    assert.ok((await rows.count()) > 115, 'a row for each minute since the bot was made');
    assert.match((await rows.nth(5).textContent()) ?? '', /\d+ MB$/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'greeter-6h.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    assert.equal(lines.length, await rows.count());
    assert.match(lines[1] ?? '', /^\d{4}-.*Z,/);
  });

  test('go on live, without being asked for again', async () => {
    await using tab = await fixture.openTab(`/bots/${id}/metrics?range=live`);
    const { page } = tab;
    let asked = 0;
    page.on('request', (request) => (asked += Number(request.url().includes('/metrics'))));
    const memory = page.getByRole('slider', { name: 'Memory: point in time' });
    await memory.waitFor();
    const container = machine.containers().find(({ botId }) => botId === id);
    assert.ok(container);
    container.usage = { cpuMicros: 1, memoryBytes: 77 * 1024 * 1024, pids: 2, netRxBytes: 0, netTxBytes: 0 };
    await server.runTask('collect-usage');
    await page.getByText('77 MB', { exact: true }).waitFor();
    assert.match((await memory.getAttribute('aria-valuetext')) ?? '', /77 MB$/);
    assert.ok(asked <= 1, `${asked} requests`);
  });

  test('a single point is drawn', async () => {
    const one = await client.createBot({ ...goodBot, name: 'young', memory: 128 });
    await seedMetrics(fixture, one.id, [1]);
    await using tab = await fixture.openTab(`/bots/${one.id}/metrics?range=15m`);
    await tab.page.locator('[data-dot]').first().waitFor();
  });

  for (const theme of ['light', 'dark'] as const)
    test(`have no fault in the ${theme} theme, with numbers, also in Portuguese on a phone`, async () => {
      for (const look of [{ theme }, { theme, width: 320, locale: 'pt-BR' as const }]) {
        await using tab = await fixture.openTab(`/bots/${id}/metrics?range=6h`, look);
        await tab.page.getByRole('slider').nth(5).waitFor();
        await assertFits(tab.page);
        await assertAccessible(tab.page);
        await keepPicture(tab.page, `metrics-numbers-${theme}${look.locale ? '-phone' : ''}`);
        await tab.page
          .getByRole('button', { name: /tab(le|ela)$/ })
          .first()
          .click();
        await assertFits(tab.page);
        await assertAccessible(tab.page);
      }
    });
});
