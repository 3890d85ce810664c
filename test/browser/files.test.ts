// The files of a bot: edited concurrently, uploaded by the folder, deleted with undo.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;

async function makeBot(name: string, files: Record<string, string>): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, name, memory: 128 });
  for (const [path, text] of Object.entries(files)) await client.writeFile(id, path, text);
  return id;
}

async function contentOf(botId: string, path: string): Promise<string> {
  const response = await client.fetch('GET', `/bots/${botId}/files/content?path=${encodeURIComponent(path)}`);
  return response.ok ? response.text() : `${response.status}`;
}

async function namesIn(botId: string, path = ''): Promise<string[]> {
  const { data } = await client.call<{ entries: { name: string }[] }>('GET', `/bots/${botId}/files?path=${path}`);
  return data.entries.map((entry) => entry.name);
}

/** Drops files on the window, as a person would. */
async function drop(page: Page, files: Record<string, string>): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) dataTransfer.items.add(new File([text], name));
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
}

describe('the editor', () => {
  test('saves with the keyboard, and keeps what was typed when another tab is shown', async () => {
    const id = await makeBot('edited', { 'index.js': 'one\n', 'other.js': 'two\n' });
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    await page.getByRole('button', { name: 'index.js', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Contents of index.js' });
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('// typed\n');
    await page.getByRole('treeitem', { name: 'other.js' }).click();
    await page.getByRole('textbox', { name: 'Contents of other.js' }).waitFor();
    await page.getByRole('button', { name: /index.js.*unsaved/ }).click();
    await editor.click();
    await page.keyboard.press('Control+s');
    await page.getByText('index.js saved').waitFor();
    assert.equal(await contentOf(id, 'index.js'), '// typed\none\n');
  });

  test('shows what others wrote meanwhile, and overwrites it only when asked to', async () => {
    const id = await makeBot('shared', { 'index.js': 'const a = 1;\n' });
    await using tab = await fixture.openTab(`/bots/${id}/files?open=index.js`);
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Contents of index.js' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('mine();\n');
    await client.writeFile(id, 'index.js', 'const a = 2;\n');
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'index.js changed on the server' });
    await dialog.getByText('const a = 2;').waitFor();
    assert.equal(await contentOf(id, 'index.js'), 'const a = 2;\n');
    await dialog.getByRole('button', { name: 'Save my version' }).click();
    await page.getByText('index.js saved').waitFor();
    assert.equal(await contentOf(id, 'index.js'), 'const a = 1;\nmine();\n');
    tab.forgive('409');
  });

  test('shows images out of their bytes, and offers what is no text for download', async () => {
    const id = await makeBot('pictures', { 'data.bin': '\0\u0001' });
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await client.writeFile(id, 'pixel.png', new Uint8Array(Buffer.from(pixel, 'base64')));
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    await tab.page.getByRole('button', { name: 'pixel.png', exact: true }).click();
    const image = tab.page.getByRole('img', { name: 'Image pixel.png' });
    assert.match((await image.getAttribute('src')) ?? '', /^blob:/);
    await tab.page.getByRole('treeitem', { name: 'data.bin' }).click();
    await tab.page.getByText('Binary file.').waitFor();
  });
});

describe('an upload', () => {
  test('of a folder leaves out what is made again, and puts its contents here', async () => {
    const id = await makeBot('uploaded', {});
    const folder = join(mkdtempSync(join(tmpdir(), 'botel-folder-')), 'my-bot');
    for (const path of ['src', 'node_modules/dep', '.git']) mkdirSync(join(folder, path), { recursive: true });
    const files = {
      'index.js': '1',
      'package-lock.json': '{}',
      'src/a.js': '2',
      'node_modules/dep/x.js': '3',
      '.git/HEAD': '4',
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    await page.getByLabel('Upload folder').setInputFiles(folder);
    const dialog = page.getByRole('dialog', { name: 'Upload to Bot files' });
    await dialog.getByText('3 of 5 files, 4 B').waitFor();
    await dialog.getByText(/Skipped: .*node_modules/).waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('3 files uploaded').waitFor();
    assert.deepEqual(await namesIn(id), ['index.js', 'package-lock.json', 'src']);
    assert.equal(await contentOf(id, 'src/a.js'), '2');
    rmSync(folder, { recursive: true });
  });

  test('by dropping: a .env file becomes variables, a token is reported, both of a name are kept', async () => {
    const id = await makeBot('dropped', { 'index.js': 'before' });
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    await page.getByRole('button', { name: 'index.js', exact: true }).waitFor();
    await drop(page, { '.env': 'TOKEN=secret', 'index.js': `t = "110201543:${'A'.repeat(35)}"` });
    const dialog = page.getByRole('dialog', { name: 'Upload to Bot files' });
    await dialog.getByText('index.js seems to contain a token').waitFor();
    await dialog.getByLabel('1 file already exists').selectOption('Keep both');
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('1 file uploaded').waitFor();
    assert.deepEqual(await namesIn(id), ['index (2).js', 'index.js']);
    assert.equal(await contentOf(id, 'index.js'), 'before');
    const { data } = await client.call<{ environment: unknown }>('GET', `/bots/${id}/env`);
    assert.deepEqual(data.environment, { TOKEN: 'secret' });
  });
});

describe('the list', () => {
  test('is worked with the keyboard: rename, new folder, delete and undo', async () => {
    const id = await makeBot('listed', { 'a.txt': '1', 'b.txt': '2' });
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    await page.getByRole('button', { name: 'a.txt', exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('F2');
    await page.getByLabel('Name', { exact: true }).fill('c.txt');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'c.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name', { exact: true }).fill('sub');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Folder sub' }).waitFor();
    await page.getByRole('button', { name: 'a.txt', exact: true }).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'a.txt', exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual(await namesIn(id), ['a.txt', 'c.txt', 'sub']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'a.txt', exact: true }).waitFor();
  });

  test('deletes at the latest when the page is left', async () => {
    const id = await makeBot('left', { 'a.txt': '1', 'b.txt': '2' });
    await using tab = await fixture.openTab(`/bots/${id}/files`);
    const { page } = tab;
    await page.getByLabel('Select a.txt').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('1 deleted: a.txt').waitFor();
    await page.goto('about:blank');
    await until(async () => (await namesIn(id)).join() === 'b.txt');
  });

  for (const theme of ['light', 'dark'] as const)
    test(`has no fault in the ${theme} theme, beside the editor and on a phone`, async () => {
      const id = await makeBot(`looks-${theme}`, { 'index.js': '// greets\nconst answer = "42";\n', 'README.md': 'x' });
      await using tab = await fixture.openTab(`/bots/${id}/files?open=index.js`, { theme });
      await tab.page.getByRole('textbox', { name: 'Contents of index.js' }).waitFor();
      await assertAccessible(tab.page);
      await using phone = await fixture.openTab(`/bots/${id}/files`, { theme, width: 360, locale: 'pt-BR' });
      await phone.page.getByRole('button', { name: 'index.js', exact: true }).waitFor();
      await assertFits(phone.page);
      await assertAccessible(phone.page);
    });
});

describe('a page among the files', () => {
  test('is text in the editor, and a download at its own address: what is in it never runs here', async () => {
    const html = '<script>document.documentElement.dataset.ran = "yes"</script><h1>ran</h1>';
    const id = await makeBot('hostile', {
      'page.html': html,
      'drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg">${html}</svg>`,
    });
    await using tab = await fixture.openTab(`/bots/${id}/files?open=page.html`);
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Contents of page.html' }).getByText('document.documentElement').waitFor();
    await page.getByRole('treeitem', { name: 'drawing.svg' }).click();
    await page.getByRole('textbox', { name: 'Contents of drawing.svg' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.dataset.ran'), undefined);
    for (const name of ['page.html', 'drawing.svg'])
      for (const verb of ['content', 'download']) {
        const address = `/bots/${id}/files/${verb}?path=${name}`;
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.evaluate(`location.assign(${JSON.stringify(address)})`),
        ]);
        assert.ok(download.url().endsWith(address));
        await download.cancel();
        assert.match(page.url(), /\/dashboard\//, 'the page is still that of before');
      }
  });
});
