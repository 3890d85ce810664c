// Finds English left on a Portuguese page: visible texts and those for screen readers. Bot output,
// API messages and texts marked as English are exempt.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { en } from '../../packages/web/src/texts/en.ts';
import { ptBr } from '../../packages/web/src/texts/pt-br.ts';

/** Shorter texts are the same in many languages. */
const minLetters = 4;

/** What matches a text with anything in the place of its values. */
function patternOf(text: string): RegExp {
  return new RegExp(
    `^${text
      .split(/\{[^}]*\}/)
      .map(RegExp.escape)
      .join('.*')}$`,
  );
}

/** Names that are the same in every language: the default plan. */
const names = ['Default'];
const letters = (text: string) => text.replace(/\{[^}]*\}/g, '').replace(/[^a-z]/gi, '').length;
const portuguese = Object.values(ptBr)
  .filter((text) => letters(text) > 0)
  .map(patternOf);
const english = Object.entries(en)
  .filter(([key, text]) => text !== ptBr[key as keyof typeof en] && letters(text) >= minLetters)
  .map(([key, text]) => ({ key, pattern: patternOf(text) }));

export async function assertNoEnglish(page: Page): Promise<void> {
  const texts = await page.evaluate<string[]>(`(() => {
    const found = [];
    const isUnmanaged = (element) => element.closest('[lang=en], [role=log], .cm-editor, script, style');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, data } = walker.currentNode;
      if (!isUnmanaged(parentElement)) found.push(data.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [data-tip], [title]'))
      for (const name of ['aria-label', 'placeholder', 'data-tip', 'title'])
        if (!isUnmanaged(element) && element.hasAttribute(name)) found.push(element.getAttribute(name).trim());
    return found;
  })()`);
  const faults = texts.flatMap((text) => {
    if (names.includes(text)) return [];
    const fault = english.find(({ pattern }) => pattern.test(text));
    return fault && !portuguese.some((pattern) => pattern.test(text)) ? [`${fault.key}: ${text}`] : [];
  });
  assert.ok(texts.length > 3, 'the page has words');
  assert.deepEqual([...new Set(faults)], [], 'words that stayed English');
}
