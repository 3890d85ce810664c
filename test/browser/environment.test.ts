// The environment of a bot: hidden until shown, edited as rows or as a file; only changes are
// saved.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;

async function makeBot(name: string, environment: Record<string, string>): Promise<string> {
  return (await client.createBot({ ...goodBot, name, memory: 128, environment })).id;
}

async function environmentOf(botId: string): Promise<Record<string, string>> {
  return (await client.call<{ environment: Record<string, string> }>('GET', `/bots/${botId}/env`)).data.environment;
}

async function readsOf(botId: string): Promise<number> {
  const { data } = await client.call<{ count: number }>('GET', `/bots/${botId}/events?type=env.read`);
  return data.count;
}

describe('variables', () => {
  test('are hidden, also from the page, until somebody asks, which is told', async () => {
    const id = await makeBot('hidden', { TOKEN: 'very-secret' });
    await using tab = await fixture.openTab(`/bots/${id}/env`);
    const { page } = tab;
    const value = page.getByRole('textbox', { name: 'Value of TOKEN' });
    assert.equal(await value.inputValue(), '');
    assert.equal(await readsOf(id), 0);
    await page.getByRole('button', { name: 'Show the value of TOKEN' }).click();
    await until(async () => (await value.inputValue()) === 'very-secret');
    assert.equal(await readsOf(id), 1);
  });

  test('are added, changed and removed without touching the others', async () => {
    const id = await makeBot('changed', { A: '1', B: '2', C: '3' });
    await using tab = await fixture.openTab(`/bots/${id}/env`);
    const { page } = tab;
    await page.getByRole('textbox', { name: 'Value of A' }).fill('one');
    await page.getByRole('button', { name: 'Remove B' }).click();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.keyboard.type('A');
    await page.getByText('Duplicate name').waitFor();
    await page.getByText('Fix 1 row first').first().waitFor();
    await page.getByRole('textbox', { name: 'Name of variable 4' }).fill('D');
    await page.getByText('1 added, 1 changed, 1 removed').waitFor();
    await client.call('POST', '/bots/env/set', { bot_id: id, set: { C: 'by another hand' }, unset: [] });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Variables saved').waitFor();
    assert.deepEqual(await environmentOf(id), { A: 'one', C: 'by another hand', D: '' });
  });

  test('are pasted as a file, and seen as one', async () => {
    const id = await makeBot('pasted', { A: '1' });
    await using tab = await fixture.openTab(`/bots/${id}/env`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', 'A=2\\n# no\\nB="two words"\\n');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`);
    await page.getByText('1 added, 1 changed').waitFor();
    await page.getByRole('button', { name: '.env text' }).click();
    const raw = page.getByRole('textbox', { name: 'All variables as a .env file' });
    assert.equal(await raw.inputValue(), "A=2\nB='two words'\n");
    await raw.fill('B=3\nnonsense\n');
    await page.getByText('Line 2: missing “=”').waitFor();
    await raw.fill('B=3\n');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Variables saved').waitFor();
    assert.deepEqual(await environmentOf(id), { B: '3' });
  });
});

describe('what Botel gives', () => {
  test('is seen among the variables and cannot be changed; a port of its own is one of them', async () => {
    const id = await makeBot('given', { A: '1' });
    await client.call('POST', '/apps/create', { bot_id: id, name: 'given-app', port: 8080 });
    await using tab = await fixture.openTab(`/bots/${id}/env`);
    const given = tab.page.getByRole('region', { name: 'Set by Botel (read-only)' });
    await given.getByText('8080').waitFor();
    await given.getByText(id).waitFor();
    assert.equal(await given.getByRole('textbox').count(), 0);
    const own = await makeBot('own-port', { PORT: '9000' });
    await using other = await fixture.openTab(`/bots/${own}/env`);
    await other.page.getByRole('textbox', { name: 'Value of PORT' }).waitFor();
    assert.equal(await other.page.getByText('port of its app').count(), 0);
  });
});

describe('the startup', () => {
  test('is what the files of the bot say, if its owner likes', async () => {
    const id = await makeBot('started', {});
    const manifest = { scripts: { start: 'node .' }, engines: { node: '^22.1' } };
    await client.writeFile(id, 'package.json', JSON.stringify(manifest));
    await using tab = await fixture.openTab(`/bots/${id}/env`);
    const { page } = tab;
    await page.getByText('package.json suggests npm start').waitFor();
    await page.getByRole('button', { name: 'Use npm start' }).click();
    await page.getByRole('button', { name: 'Use 22' }).click();
    await page.getByLabel('Build command').fill('npm run build');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Save startup' }).click();
    await page.getByText('Startup saved').waitFor();
    const bot = await client.bot(id);
    assert.deepEqual(
      [bot.startup_command, bot.runtime_version, bot.build_command],
      ['npm start', '22', 'npm run build'],
    );
    assert.equal(await page.getByText('package.json suggests').count(), 0);
    await page.getByLabel('Build command').fill('');
    await page.getByRole('button', { name: 'Save startup' }).click();
    await until(async () => (await client.bot(id)).build_command === null);
  });
});

for (const theme of ['light', 'dark'] as const)
  test(`has no fault in the ${theme} theme and fits a phone, with changes and faults`, async () => {
    const id = await makeBot(`looks-${theme}`, { TOKEN: 'x', OLD: 'y' });
    await using tab = await fixture.openTab(`/bots/${id}/env`, { theme, width: 360 });
    const { page } = tab;
    await page.getByRole('button', { name: 'Remove OLD' }).click();
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.keyboard.type('BOTEL_X');
    await page.getByText('Names starting with BOTEL_ are reserved').waitFor();
    await assertFits(page);
    await assertAccessible(page);
    await keepPicture(page, `environment-changed-${theme}`);
  });
