// Operates a page with the pointer, or with the keyboard alone.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

export interface Hands {
  /** Presses a button, follows a link, chooses a radio button. */
  press(target: Locator): Promise<void>;
  /** Takes an entry of a menu that is open. */
  choose(entry: Locator): Promise<void>;
  /** Replaces the text of a field or an editor. */
  type(target: Locator, text: string): Promise<void>;
}

export function pointerOn(page: Page): Hands {
  return {
    press: (target) => target.click(),
    choose: (entry) => entry.click(),
    async type(target, text) {
      await target.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    },
  };
}

const textAtFocus = 'document.activeElement.textContent';
/** More steps of Tab than any page has controls. */
const maxSteps = 150;

export function keyboardOn(page: Page): Hands {
  const isAt = async (target: Locator) => (await target.and(page.locator(':focus')).count()) > 0;
  /** Goes to the target with Tab, and with the arrow keys where radio buttons are one stop. */
  const reach = async (target: Locator) => {
    await target.waitFor();
    const isRadio = (await target.getAttribute('type')) === 'radio';
    for (let steps = 0; steps < maxSteps; steps++) {
      if (await isAt(target)) return;
      const isOnRadio = isRadio && (await page.locator('input[type=radio]:focus').count()) > 0;
      await page.keyboard.press(isOnRadio ? 'ArrowDown' : 'Tab');
    }
    assert.fail(`the keyboard does not get to ${target}`);
  };
  return {
    async press(target) {
      await reach(target);
      const isRadio = (await target.getAttribute('type')) === 'radio';
      await page.keyboard.press(isRadio ? 'Space' : 'Enter');
    },
    async choose(entry) {
      await entry.waitFor();
      while (!(await isAt(entry))) {
        const before = await page.evaluate<string>(textAtFocus);
        await page.keyboard.press('ArrowDown');
        // Focus moves asynchronously; after the last entry it stays, and this fails.
        await page.waitForFunction(`${textAtFocus} !== ${JSON.stringify(before)}`);
      }
      await page.keyboard.press('Enter');
    },
    async type(target, text) {
      await reach(target);
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    },
  };
}
