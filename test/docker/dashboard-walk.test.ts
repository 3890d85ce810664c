// The walk of somebody new through the dashboard, with a real container at its end: first account,
// a bot out of the wizard, its log; the bot breaks, the page says why, its file is put right in the
// editor, it runs again, and so does a copy of it. With a pointer, on a phone, and with the
// keyboard alone. `BROWSER_SCREENSHOTS=<folder>` keeps what it saw.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertFits, openBrowser, type TabOptions } from '../browser/fixture.ts';
import { type Hands, keyboardOn, pointerOn } from '../browser/hands.ts';
import { prepareBrowser } from '../browser/prepare.ts';
import { adminEmail, adminPassword, startFirstRun } from './fixture.ts';

await prepareBrowser();

/** Containers are made and started meanwhile, on a machine that may be busy. */
const onlineMs = 120_000;

const broken = "console.log('about to break');\nthrow new Error('broken on purpose');\n";
const mended = "console.log('mended and running');\nsetInterval(() => console.log('still here'), 1000);\n";

interface Walk {
  page: Page;
  hands: Hands;
  /** Tells how long it took from the one before. */
  step: (name: string) => Promise<void>;
}

async function makeFirstAccount({ page, hands, step }: Walk): Promise<void> {
  await page.getByRole('heading', { name: 'Welcome to Botel' }).waitFor();
  await hands.type(page.getByLabel('Email'), adminEmail);
  await hands.type(page.getByLabel('Password', { exact: true }), adminPassword);
  await hands.press(page.getByRole('button', { name: 'Create account' }));
  await page.getByText(/^Docker Engine \d/).waitFor();
  await step('first account');
}

async function makeBot({ page, hands, step }: Walk): Promise<void> {
  await hands.press(page.getByRole('link', { name: 'Create your first bot' }));
  await hands.press(page.getByRole('radio', { name: /^receptionist/ }));
  await hands.press(page.getByRole('button', { name: 'Create and start' }));
  await page.getByRole('heading', { name: 'receptionist', level: 1 }).waitFor();
  await page.getByText('Online', { exact: true }).waitFor({ timeout: onlineMs });
  await step('a bot of the wizard is online');
  await page.getByText(/The reception is open: run number 1/).waitFor();
  await page.getByText(/guest 2 checked in/).waitFor();
  await step('its log is there');
}

async function saveProgram({ page, hands }: Walk, text: string): Promise<void> {
  await hands.press(page.getByRole('link', { name: 'Files', exact: true }));
  // On a phone the file that is open stands in the place of the list.
  const file = page.getByRole('button', { name: 'receptionist.js', exact: true }).first();
  const editor = page.getByRole('textbox', { name: 'Contents of receptionist.js' });
  await file.or(editor).first().waitFor();
  if (!(await editor.isVisible())) await hands.press(file);
  await editor.waitFor();
  await hands.type(editor, text);
  await page.keyboard.press('Control+s');
  await page.getByText('receptionist.js saved').last().waitFor();
  // The next save tells the same.
  await page.getByText('receptionist.js saved').last().waitFor({ state: 'detached' });
  await hands.press(page.getByRole('link', { name: 'Console', exact: true }));
}

async function breakIt(walk: Walk): Promise<void> {
  const { page, hands, step } = walk;
  await saveProgram(walk, broken);
  await hands.press(page.getByRole('button', { name: 'Restart', exact: true }));
  const banner = page.getByRole('region', { name: /Crashed|Crash loop/ });
  await banner.waitFor({ timeout: onlineMs });
  assert.match((await banner.textContent()) ?? '', /exit code 1/);
  await hands.press(banner.getByText('Last lines', { exact: true }));
  await banner.getByText('broken on purpose').first().waitFor();
  await step('it crashed, and the page says why');
}

async function mendIt(walk: Walk): Promise<void> {
  const { page, hands, step } = walk;
  await saveProgram(walk, mended);
  // It may have been tried again by itself meanwhile: a restart is right either way.
  await hands.press(page.getByRole('button', { name: 'Restart', exact: true }));
  await page.getByText('mended and running').waitFor({ timeout: onlineMs });
  await page.getByText('Online', { exact: true }).waitFor({ timeout: onlineMs });
  await page.getByRole('region', { name: /Crashed|Crash loop/ }).waitFor({ state: 'detached' });
  await step('mended in the editor, it is online again');
}

async function copyIt({ page, hands, step }: Walk): Promise<void> {
  await hands.press(page.getByRole('button', { name: 'More actions', exact: true }).first());
  await hands.choose(page.getByRole('menuitem', { name: 'Duplicate' }));
  await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }));
  await page.getByRole('heading', { name: 'receptionist-copy', level: 1 }).waitFor({ timeout: onlineMs });
  await page.getByText('Online', { exact: true }).waitFor({ timeout: onlineMs });
  await page.getByText('mended and running').waitFor();
  await step('a copy of it runs, with its files');
}

async function walkThrough(name: string, options: TabOptions, handsOn: (page: Page) => Hands): Promise<void> {
  await using server = await startFirstRun();
  await using browser = await openBrowser({ url: server.url, token: '' });
  await using tab = await browser.openTab(`/setup#${server.setupToken}`, { ...options, guest: true });
  const { page } = tab;
  let began = performance.now();
  let steps = 0;
  const walk: Walk = {
    page,
    hands: handsOn(page),
    async step(told) {
      console.log(`${name}: ${told}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
      await assertFits(page);
      await keepPicture(page, `${name}-${++steps}`, options.theme ?? 'light');
      began = performance.now();
    },
  };
  await makeFirstAccount(walk);
  await makeBot(walk);
  await breakIt(walk);
  await mendIt(walk);
  await copyIt(walk);
}

/** In both themes; the page stays in its own. */
async function keepPicture(page: Page, name: string, theme: 'light' | 'dark'): Promise<void> {
  const folder = process.env.BROWSER_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  for (const each of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: each });
    await page.locator(`html[data-theme=${each}]`).waitFor();
    await page.screenshot({ path: join(folder, `${name}-${each}.png`) });
  }
  await page.emulateMedia({ colorScheme: theme });
}

test('from the first account to a mended bot, with a pointer', () => walkThrough('pointer', {}, pointerOn));

test('the same on a phone, in the dark', () => walkThrough('phone', { width: 360, theme: 'dark' }, pointerOn));

test('the same with the keyboard alone', () => walkThrough('keyboard', {}, keyboardOn));
