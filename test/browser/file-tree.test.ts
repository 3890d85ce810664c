// The file tree of a bot: loaded as it opens, usable with the keyboard alone, fast with many files.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { makeZip } from '../../packages/server/test/support/archive-maker.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';
import { longestTask } from './longest-task.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;

async function makeBot(name: string, paths: string[]): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, name, memory: 128 });
  for (const path of paths) await client.writeFile(id, path, `// ${path}\n`);
  return id;
}

const rowIn = (page: Page, name: string): Locator => page.getByRole('treeitem', { name, exact: true });

/** Names of the visible rows, in order. */
async function rowsOf(page: Page): Promise<(string | null)[]> {
  const rows = await page.getByRole('treeitem').all();
  return Promise.all(rows.map((row) => row.getAttribute('aria-label')));
}

const project = ['index.js', 'src/bot.js', 'src/lib/deep.js', 'README.md'];

describe('the tree', () => {
  test('reads a folder when it is opened, marks where one is, and stays as it was left', async () => {
    const id = await makeBot('browsed', project);
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(decodeURIComponent(new URL(request.url()).search)));
    await rowIn(page, 'README.md').waitFor();
    assert.deepEqual(await rowsOf(page), ['Bot files', 'src', 'index.js', 'README.md']);
    assert.equal(await rowIn(page, 'Bot files').getAttribute('aria-current'), 'location');
    await rowIn(page, 'src').click();
    await rowIn(page, 'bot.js').waitFor();
    assert.ok(asked.some((search) => search.startsWith('?path=src&')));
    assert.ok(!asked.some((search) => search.startsWith('?path=src/lib')));
    assert.equal(await rowIn(page, 'src').getAttribute('aria-current'), 'location');
    await page.getByRole('button', { name: 'bot.js', exact: true }).waitFor();
    await rowIn(page, 'bot.js').click();
    await page.getByRole('textbox', { name: 'Contents of src/bot.js' }).waitFor();
    assert.equal(await rowIn(page, 'bot.js').getAttribute('aria-selected'), 'true');
    await page.getByRole('link', { name: 'Environment' }).click();
    await page.getByRole('heading', { name: 'Variables' }).waitFor();
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await rowIn(page, 'bot.js').waitFor();
    assert.deepEqual(await rowsOf(page), ['Bot files', 'src', 'lib', 'bot.js', 'index.js', 'README.md']);
  });

  test('is worked with the keyboard alone', async () => {
    const id = await makeBot('keyed', project);
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    await rowIn(page, 'README.md').waitFor();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await page.getByRole('link', { name: 'Settings' }).last().focus();
    await press('Tab');
    assert.equal(await focused(), 'Bot files');
    await press('End');
    assert.equal(await focused(), 'README.md');
    await press('Home', 'ArrowDown');
    assert.equal(await focused(), 'src');
    assert.equal(await rowIn(page, 'bot.js').count(), 0);
    await press('ArrowRight');
    await rowIn(page, 'bot.js').waitFor();
    await press('ArrowRight');
    assert.equal(await focused(), 'lib');
    await press('ArrowDown', 'Enter');
    await page.getByRole('textbox', { name: 'Contents of src/bot.js' }).waitFor();
    assert.equal(await focused(), 'bot.js');
    await press('ArrowLeft');
    assert.equal(await focused(), 'src');
    await press('ArrowLeft');
    await rowIn(page, 'bot.js').waitFor({ state: 'detached' });
    await press('r');
    assert.equal(await focused(), 'README.md');
    await press('Tab');
    assert.notEqual(await focused(), 'README.md');
    await press('Shift+Tab');
    assert.equal(await focused(), 'README.md', 'Tab comes back to where it was');
  });

  test('and the tabs follow a folder that gets another name, with what was typed', async () => {
    const id = await makeBot('renamed', ['src/bot.js']);
    await using tab = await fixture.openTab(`/bots/${id}/files?open=src%2Fbot.js`);
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Contents of src/bot.js' }).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('// typed\n');
    await page.getByRole('treeitem', { name: 'Bot files' }).click();
    await page.getByRole('button', { name: 'Folder src' }).press('F2');
    await page.getByLabel('Name', { exact: true }).fill('lib');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder lib' }).waitFor();
    await page.getByRole('button', { name: /bot.js.*unsaved/ }).click();
    await page.getByRole('textbox', { name: 'Contents of lib/bot.js' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('bot.js saved').waitFor();
    const saved = await client.fetch('GET', `/bots/${id}/files/content?path=lib%2Fbot.js`);
    assert.equal(await saved.text(), '// typed\n// src/bot.js\n');
    assert.deepEqual(await rowsOf(page), ['Bot files', 'lib', 'bot.js']);
  });

  test('opens to the file of a link', async () => {
    const id = await makeBot('linked', project);
    await using tab = await fixture.openTab(`/bots/${id}/files?open=src%2Flib%2Fdeep.js`);
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Contents of src/lib/deep.js' }).waitFor();
    await rowIn(page, 'deep.js').waitFor();
    assert.equal(await rowIn(page, 'deep.js').getAttribute('aria-selected'), 'true');
    assert.equal(await rowIn(page, 'lib').getAttribute('aria-current'), 'location');
    await page.getByRole('button', { name: 'Contents of lib' }).click();
    await page.getByRole('button', { name: 'deep.js', exact: true }).first().waitFor();
  });

  for (const theme of ['light', 'dark'] as const)
    test(`has no fault in the ${theme} theme, and comes when it is asked for on a phone`, async () => {
      const id = await makeBot(`tree-${theme}`, project);
      await using tab = await fixture.openTab(`/bots/${id}/files?open=src%2Fbot.js`, { theme });
      await rowIn(tab.page, 'bot.js').waitFor();
      await tab.page.getByRole('textbox', { name: 'Contents of src/bot.js' }).waitFor();
      await assertAccessible(tab.page);
      await keepPicture(tab.page, `files-editor-${theme}`);
      await using phone = await fixture.openTab(`/bots/${id}/files`, { theme, width: 360, locale: 'pt-BR' });
      const { page } = phone;
      await page.getByRole('button', { name: 'index.js', exact: true }).waitFor();
      assert.equal(await page.getByRole('tree').isVisible(), false);
      await page.getByRole('button', { name: 'Mostrar pastas' }).click();
      await rowIn(page, 'src').click();
      await page.getByRole('button', { name: 'bot.js', exact: true }).waitFor();
      assert.equal(await page.getByRole('tree').isVisible(), false, 'it makes room for the list');
      await page.getByRole('button', { name: 'Mostrar pastas' }).click();
      await assertFits(page);
      await assertAccessible(page);
      await keepPicture(page, `files-tree-phone-${theme}`);
    });
});

/** At a quarter of the processor's speed: half of what the first 500 rows once took. */
const longestMs = 2000;

test('a folder of 2,000 files is shown page by page, and what is deep in others is found, without the page standing still', async () => {
  const { id } = await client.createBot({ ...goodBot, name: 'many', memory: 128 });
  const nested = Array.from({ length: 60 }, (_, depth) => `d${depth}`).join('/');
  const folders = Array.from({ length: 140 }, (_, number) => ({ name: `folders/f${number}/x.txt`, content: 'x' }));
  const files = Array.from({ length: 2000 }, (_, number) => ({ name: `many/file-${1000 + number}.txt`, content: 'x' }));
  const body = new Uint8Array(makeZip([...files, ...folders, { name: `${nested}/end.txt`, content: 'x' }]));
  const headers = { 'Content-Type': 'application/octet-stream' };
  const sent = await client.fetch('POST', `/bots/${id}/files/upload?path=&extract=zip`, { body, headers });
  assert.equal(sent.status, 200);
  await using tab = await fixture.openTab(`/bots/${id}/files`);
  const { page } = tab;
  // Rows are found by attribute: role queries on thousands of elements would dominate the
  // measurement.
  const rows = page.locator('[role=row][data-name]');
  const row = (name: string) => page.locator(`[role=row][data-name="${name}"]`);
  await row('many').waitFor();
  const opening = await longestTask(page, 4, async () => {
    await row('many').locator('[data-open]').click();
    await row('file-1499.txt').waitFor({ state: 'attached' });
  });
  const more = page.getByRole('region', { name: 'Files' }).getByText('Show more');
  const loading = await longestTask(page, 4, async () => {
    for (const last of [1999, 2499, 2999]) {
      await more.click();
      await row(`file-${last}.txt`).waitFor({ state: 'attached' });
    }
  });
  assert.equal(await rows.count(), 2000);
  assert.equal(await more.count(), 0);
  await row('file-1000.txt').locator('[data-select]').click();
  await row('file-1299.txt')
    .locator('[data-select]')
    .click({ modifiers: ['Shift'] });
  await page.locator('section [role=status]', { hasText: '300 selected' }).waitFor();
  console.log(`longest task: opening ${opening}, loading ${loading} ms`);
  for (const task of [opening, loading]) assert.ok(task < longestMs, `${task} ms`);
  const newest = { name: 'file-2999.txt', mimeType: 'text/plain', buffer: Buffer.from('new') };
  await page.getByLabel('Upload files').setInputFiles(newest);
  await page.getByRole('dialog').getByText('1 file already exists').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${fixture.url}/dashboard/bots/${id}/files?path=${encodeURIComponent(nested)}`);
  await row('end.txt').waitFor();
  await page.locator('[role=treeitem][data-path$="/d59"][aria-current=location]').waitFor();
  assert.equal(await rows.count(), 1);
});
