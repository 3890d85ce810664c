// What a choice changes in the draft of a new bot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TemplateData } from '@botel/contract/templates';
import { emptyDraft, sourceOf, withFiles, withTemplate } from './draft.ts';
import { takeOwn } from './own-files.ts';

const template = {
  id: 'rust',
  name: 'pastry-chef',
  language: 'rust',
  memory: 512,
  startup_command: 'cargo run',
} as TemplateData;

const filesOf = async (files: Record<string, string>) => {
  const entries = Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) }));
  const own = await takeOwn({ files: entries, skipped: new Map() });
  assert.ok(own);
  return own;
};

test('a template brings all of it, but leaves a name that was typed', () => {
  const { name, language, command, memory } = withTemplate(emptyDraft, template);
  assert.deepEqual([name, language, command, memory], ['pastry-chef', 'rust', 'cargo run', 512]);
  assert.equal(withTemplate({ ...emptyDraft, name: 'mine', isNamed: true }, template).name, 'mine');
});

test('files take the place of a template; the config of another host is used', async () => {
  const files = await filesOf({ 'ping/main.py': '', 'ping/discloud.config': 'NAME=Ping\nRAM=300\nMAIN=main.py' });
  const draft = withFiles(withTemplate(emptyDraft, template), files);
  const { name, language, command, memory } = draft;
  assert.deepEqual([draft.template, name, language, command, memory], [null, 'Ping', 'python', 'python main.py', 300]);
  assert.deepEqual(sourceOf(draft), { kind: 'own', files });
});

test('files that say nothing leave language and memory as they are', async () => {
  const draft = withFiles(withTemplate(emptyDraft, template), await filesOf({ 'stuff/a.txt': '' }));
  assert.deepEqual([draft.name, draft.language, draft.memory, draft.guess], ['stuff', 'rust', 512, null]);
  assert.equal(sourceOf(emptyDraft), null);
});
