// What holds for every page: no axe violation in either theme, no horizontal scrolling on a phone
// or at twice the text size, and no English where Portuguese exists.
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../packages/server/test/support/until.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';
import { assertNoEnglish } from './language.ts';
import { allPages } from './page-table.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());

/** Without transitions, whose intermediate colours nobody reads. */
async function turnDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const isStill = 'document.getAnimations().every((each) => each.playState !== "running")';
  await until(async () => await page.evaluate<boolean>(isStill));
}

/** Texts twice as large, as a browser's own setting makes them. */
async function assertFitsWithLargeText(page: Page): Promise<void> {
  await page.setViewportSize({ width: 640, height: 800 });
  await page.evaluate('document.documentElement.style.fontSize = "200%"');
  await assertFits(page);
  await page.evaluate('document.documentElement.style.fontSize = ""');
}

async function assertFitsPhones(page: Page): Promise<void> {
  for (const width of [360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await assertFits(page);
  }
}

for (const { name, path, english, portuguese } of await allPages(fixture))
  describe(name, () => {
    test('has no fault in either theme, and fits when text is large', async () => {
      await using tab = await fixture.openTab(path);
      const { page } = tab;
      await page.getByText(english).filter({ visible: true }).first().waitFor();
      await assertAccessible(page);
      await keepPicture(page, `${name}-light`);
      await turnDark(page);
      await assertAccessible(page);
      await keepPicture(page, `${name}-dark`);
      await assertFitsWithLargeText(page);
    });

    test('is Portuguese, and fits a phone', async () => {
      await using tab = await fixture.openTab(path, { width: 360, locale: 'pt-BR' });
      const { page } = tab;
      await page.getByText(portuguese).filter({ visible: true }).first().waitFor();
      await assertNoEnglish(page);
      await assertFitsPhones(page);
      await assertAccessible(page);
      await keepPicture(page, `${name}-phone`);
    });
  });

describe('pages for people who are not in yet', () => {
  for (const [path, word, palavra] of [
    ['/login', 'Sign in', 'Entrar'],
    ['/setup', 'Welcome to Botel', 'Bem-vindo ao Botel'],
    ['/reset', 'Choose a new password', 'Escolha uma nova senha'],
  ] as const)
    test(path, async () => {
      await using tab = await fixture.openTab(path, { guest: true });
      await tab.page.getByRole('heading', { name: word }).waitFor();
      await assertAccessible(tab.page);
      await turnDark(tab.page);
      await assertAccessible(tab.page);
      await keepPicture(tab.page, `${path}-dark`);
      await assertFitsWithLargeText(tab.page);
      await using inPortuguese = await fixture.openTab(path, { guest: true, width: 360, locale: 'pt-BR' });
      await inPortuguese.page.getByRole('heading', { name: palavra }).waitFor();
      await assertNoEnglish(inPortuguese.page);
      await assertFitsPhones(inPortuguese.page);
      await keepPicture(inPortuguese.page, `${path}-phone`);
    });
});
