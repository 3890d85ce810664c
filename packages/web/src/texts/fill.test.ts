// Values in texts, and that every language has the same placeholders.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { en } from './en.ts';
import { fill } from './fill.ts';
import { ptBr } from './pt-br.ts';

describe('a text', () => {
  test('takes values, numbers as the language writes them', () => {
    assert.equal(fill('{used} of {limit} MB', { used: 1024, limit: 'many' }, 'en'), '1,024 of many MB');
    assert.equal(fill('{used} MB', { used: 1024 }, 'pt-BR'), '1.024 MB');
  });

  test('takes the word that goes with a number', () => {
    assert.equal(fill('{count} {count|bot|bots}', { count: 1 }, 'en'), '1 bot');
    assert.equal(fill('{count} {count|bot|bots}', { count: 0 }, 'en'), '0 bots');
    assert.equal(fill('{count} {count|bot|bots}', { count: 0 }, 'pt-BR'), '0 bot');
  });

  test('keeps what has no value', () => {
    assert.equal(fill('{missing}', {}, 'en'), '{missing}');
  });
});

const placeholders = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name))].toSorted();

test('Portuguese has every text, with the values of the English one', () => {
  assert.deepEqual(Object.keys(ptBr).toSorted(), Object.keys(en).toSorted());
  for (const [key, text] of Object.entries(en)) {
    const translated = ptBr[key as keyof typeof en];
    assert.ok(translated.trim() !== '', key);
    assert.deepEqual(placeholders(translated), placeholders(text), key);
  }
});
