// The variables of a template in the wizard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateData } from '@botel/contract/templates';
import { addRow, changeRow, type EnvRow } from '../env/env-draft.ts';
import { isOfForm, rowsForTemplate } from './template-rows.ts';

const plain: TemplateData = {
  id: 'plain',
  name: 'plain',
  language: 'nodejs',
  memory: 128,
  startup_command: 'node bot.js',
  environment: { GREETING: 'hello' },
  secrets: [],
  files: ['bot.js'],
  description: '',
  translations: {},
};
const discord: TemplateData = {
  ...plain,
  id: 'discord',
  environment: {},
  secrets: [{ key: 'DISCORD_TOKEN', kind: 'discord_token' }],
};

const pairs = (rows: readonly EnvRow[]) => rows.map(({ key, value }) => `${key}=${value}`);

test('a template brings its variables, and takes them along when another one is chosen', () => {
  const own = addRow([], 'MINE', '1');
  const first = rowsForTemplate(own, null, plain);
  assert.deepEqual(pairs(first), ['MINE=1', 'GREETING=hello']);
  assert.deepEqual(pairs(rowsForTemplate(first, plain, discord)), ['MINE=1', 'DISCORD_TOKEN=']);
  assert.deepEqual(pairs(rowsForTemplate(first, plain, null)), ['MINE=1']);
});

test('what was typed stays, and is not asked for twice', () => {
  const rows = rowsForTemplate([], null, discord);
  const typed = changeRow(rows, rows[0]?.id ?? 0, { value: 'secret' });
  assert.deepEqual(pairs(rowsForTemplate(typed, discord, plain)), ['DISCORD_TOKEN=secret', 'GREETING=hello']);
  assert.deepEqual(pairs(rowsForTemplate(typed, plain, discord)), ['DISCORD_TOKEN=secret']);
});

test('tokens are known by their form', () => {
  assert.ok(isOfForm('discord_token', `${'M'.repeat(24)}.${'a'.repeat(6)}.${'b'.repeat(38)}`));
  assert.ok(isOfForm('telegram_token', `110201543:${'A'.repeat(35)}`));
  for (const value of ['', 'secret', ` 110201543:${'A'.repeat(35)}`, 'Bot abc.def.ghi'])
    for (const kind of ['discord_token', 'telegram_token'] as const) assert.ok(!isOfForm(kind, value), value);
});
