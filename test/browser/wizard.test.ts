// The create wizard: what an empty list offers, the user's own files, and failed steps.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { assertAccessible, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
const folder = mkdtempSync(join(tmpdir(), 'botel-wizard-'));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fixture[Symbol.asyncDispose]();
});
const { client } = fixture;

afterEach(async () => {
  for (const { id } of await client.bots()) await client.deleteBot(id, true);
});

const project: Record<string, string> = {
  'package.json': '{"main":"bot.js"}',
  'bot.js': 'setInterval(() => {}, 1000);',
  'node_modules/left/index.js': 'x',
  '.env': 'TOKEN="abc def"\nMODE=dark',
  'squarecloud.app': 'DISPLAY_NAME=Ping Pong\nMEMORY=512\nMAIN=bot.js\nSTART=node echo',
};

/** A project folder; returns its path. */
function folderOf(name: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, path, '..'), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
  return join(folder, name);
}

function zipOf(files: Record<string, string>): Buffer {
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [`ping/${path}`, strToU8(text)]))),
  );
}

async function namesIn(botId: string): Promise<string[]> {
  const { data } = await client.call<{ entries: { name: string }[] }>('GET', `/bots/${botId}/files`);
  return data.entries.map(({ name }) => name);
}

const fileFields = (page: Page) => page.locator('input[type=file]');
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

describe('an empty list', () => {
  test('offers three bots of ours; one leads to the wizard with it chosen', async () => {
    await using tab = await fixture.openTab('/');
    const { page } = tab;
    const ours = page.getByRole('list').filter({ has: page.getByRole('link', { name: /^receptionist/ }) });
    await ours.waitFor();
    assert.equal(await ours.getByRole('link').count(), 3);
    await assertAccessible(page);
    await page.getByRole('link', { name: /^concierge/ }).click();
    await page
      .getByRole('radio', { name: /concierge/ })
      .and(page.locator(':checked'))
      .waitFor();
    assert.equal(await field(page, 'Startup command').inputValue(), 'python concierge.py');
  });

  test('takes a zip of another host: its name, memory, command and variables are there in the wizard, and its files in the bot', async () => {
    await using tab = await fixture.openTab('/');
    const { page } = tab;
    await page.getByText('Upload your own bot').waitFor();
    const zip = { name: 'ping-main.zip', mimeType: 'application/zip', buffer: zipOf(project) };
    await fileFields(page).last().setInputFiles(zip);
    await page.getByText('Name, memory and command come from squarecloud.app.').waitFor();
    await page.getByText('Taken from squarecloud.app.').waitFor();
    await page.getByText('Skipped: node_modules').waitFor();
    assert.equal(await field(page, 'Name').inputValue(), 'Ping-Pong');
    assert.equal(await field(page, 'Startup command').inputValue(), 'node echo');
    assert.equal(await page.getByLabel('Value of TOKEN').inputValue(), 'abc def');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: 'Ping-Pong', level: 1 }).waitFor();
    const [bot] = await client.bots();
    assert.ok(bot);
    assert.deepEqual([bot.memory, bot.environment_keys.toSorted()], [512, ['MODE', 'TOKEN']]);
    assert.deepEqual(await namesIn(bot.id), ['bot.js', 'package.json', 'squarecloud.app']);
  });
});

describe('a folder', () => {
  test('is shown before anything is made, sent as one request, and its sending is seen', async () => {
    await using tab = await fixture.openTab('/new');
    const { page } = tab;
    const { 'squarecloud.app': _, ...files } = project;
    await fileFields(page)
      .first()
      .setInputFiles(folderOf('big', { ...files, 'sound.bin': 'x'.repeat(3 * 1024 * 1024) }));
    await page.getByText('3 files, 3 MB').waitFor();
    await page.getByText('Detected from the main file in package.json.').waitFor();
    assert.deepEqual(await client.bots(), []);
    await field(page, 'Startup command').fill('node echo');
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1024 * 1024 };
    await network.send('Network.emulateNetworkConditions', slow);
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('progressbar', { name: 'Upload progress' }).waitFor();
    await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
    await page.getByRole('heading', { name: 'big', level: 1 }).waitFor();
    const [bot] = await client.bots();
    assert.deepEqual(await namesIn(bot?.id ?? ''), ['bot.js', 'package.json', 'sound.bin']);
  });
});

describe('a step that fails', () => {
  test('keeps the bot; what is changed then reaches it before the next step', async () => {
    await using tab = await fixture.openTab('/new');
    const { page } = tab;
    await page.getByRole('radio', { name: /receptionist/ }).check();
    await page.route(
      '**/files/template',
      (route) => route.fulfill({ status: 500, json: { success: false, error: 'Sad' } }),
      {
        times: 1,
      },
    );
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByText('Already created:').waitFor();
    tab.forgive('500');
    await field(page, 'Name').fill('front-desk');
    await field(page, 'Startup command').fill('node echo');
    await page.getByRole('spinbutton').fill('512');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name of variable 1').fill('GREETING');
    await page.getByLabel('Value of GREETING').fill('Hello');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'front-desk', level: 1 }).waitFor();
    const bots = await client.bots();
    assert.deepEqual(
      bots.map((bot) => [bot.name, bot.startup_command, bot.memory, bot.environment_keys]),
      [['front-desk', 'node echo', 512, ['GREETING']]],
    );
    assert.ok((await namesIn(bots[0]?.id ?? '')).length >= 2);
  });

  test('of another language afterwards makes a bot of that language, and leaves no other', async () => {
    await using tab = await fixture.openTab('/new?template=nodejs');
    const { page } = tab;
    await page.route('**/files/template', (route) => route.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByText('Already created:').waitFor();
    tab.forgive('ERR_FAILED');
    await page.getByRole('radio', { name: /concierge/ }).check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'concierge', level: 1 }).waitFor();
    assert.deepEqual(
      (await client.bots()).map(({ language }) => language),
      ['python'],
    );
  });

  test('for want of memory says so beside the slider, with what there is', async () => {
    await using tab = await fixture.openTab('/new?template=nodejs');
    const { page } = tab;
    await page.getByRole('spinbutton').fill('5000');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByText('Insufficient memory: need 5000MB, only 4096MB available').waitFor();
    tab.forgive('403');
    await page.getByRole('button', { name: 'Use 4,096 MB' }).click();
    await page.getByRole('button', { name: 'Create and start' }).click();
    await page.getByRole('heading', { name: 'receptionist', level: 1 }).waitFor();
    assert.equal((await client.bots())[0]?.memory, 4096);
  });
});

test('a name that is taken is only warned of, and a pasted .env fills the variables', async () => {
  await client.createBot({ name: 'twin', language: 'nodejs', memory: 128, startup_command: 'node echo' });
  await using tab = await fixture.openTab('/new?template=nodejs');
  const { page } = tab;
  await field(page, 'Name').fill('twin');
  await page.getByText('You already have a bot with this name. You can still use it.').waitFor();
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel('Name of variable 1').focus();
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData('text', '# mine\\nTOKEN=abc\\nexport MODE="dark blue"');
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
  await page.getByLabel('Value of MODE').waitFor();
  await page.getByRole('button', { name: 'Create and start' }).click();
  await page.getByRole('heading', { name: 'twin', level: 1 }).waitFor();
  const made = (await client.bots()).filter(({ name }) => name === 'twin');
  assert.deepEqual([made.length, made.flatMap((bot) => bot.environment_keys).toSorted()], [2, ['MODE', 'TOKEN']]);
});
