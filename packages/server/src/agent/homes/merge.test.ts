// Merges interrupted after each of their steps: completed, or undone.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BotFiles } from './bot-files.ts';
import { makeFiles, treeOf } from '../../../test/support/files-fixture.ts';
import { writeJournal } from './journal.ts';
import { type MergeFolders, makeSlots, performSteps, planMerge, undoStep } from './merge.ts';
import { openRoot } from './walk.ts';

/**
 * A home with entries of every kind, and a stage whose tree replaces, adds and (as a mirror)
 * deletes.
 */
async function makeMerge(t: TestContext) {
  const made = makeFiles(t);
  const { homes, bot, home } = made;
  await homes.prepare(bot);
  const stage = await homes.staging.create();
  t.after(() => stage.folder.close());
  writeFileSync(join(home, 'kept'), 'old');
  writeFileSync(join(home, 'replaced'), 'old');
  symlinkSync('kept', join(home, 'link'));
  mkdirSync(join(home, 'folder/inner'), { recursive: true });
  writeFileSync(join(home, 'folder/gone'), 'old');
  writeFileSync(join(home, 'folder/inner/replaced'), 'old');
  writeFileSync(Buffer.concat([Buffer.from(`${home}/gone-`), Buffer.from([0xff, 0x0a])]), 'old');
  mkdirSync(join(home, 'becomes-file'));
  writeFileSync(join(home, 'becomes-file/x'), 'old');
  const tree = join(stage.path, 'tree');
  mkdirSync(join(tree, 'folder/inner'), { recursive: true });
  mkdirSync(join(tree, 'new/deep'), { recursive: true });
  for (const name of ['kept', 'replaced', 'link', 'folder/inner/replaced', 'becomes-file', 'new/deep/file']) {
    writeFileSync(join(tree, name), 'new');
  }
  mkdirSync(join(stage.path, 'slots'));
  const folders: MergeFolders = {
    tree: await openRoot(tree),
    slots: await openRoot(join(stage.path, 'slots')),
    base: await openRoot(home),
    uid: bot.uid,
  };
  t.after(() => Promise.all([folders.tree.close(), folders.slots.close(), folders.base.close()]));
  await makeSlots(folders.slots);
  const steps = await planMerge(folders.tree, folders.base, { overwrite: true, mirror: true });
  await writeJournal(stage, { botId: bot.id, uid: bot.uid, base: [], steps });
  return { ...made, stage, folders, steps, before: treeOf(home), after: treeOf(tree) };
}

test('a merge that was cut off after any step is completed at the next start', async (t) => {
  const { length } = (await makeMerge(t)).steps;
  assert.equal(length, 13);
  for (let done = 0; done <= length; done++) {
    const { steps, folders, home, homes, staging, after } = await makeMerge(t);
    await performSteps(steps.slice(0, done), folders);
    assert.deepEqual(await new BotFiles({ homes }).recover(), []);
    assert.deepEqual([treeOf(home), readdirSync(staging)], [after, []], `after ${done} steps`);
  }
});

test('a merge is taken back from any step, also when taking it back is cut off', async (t) => {
  const { length } = (await makeMerge(t)).steps;
  for (let done = 0; done <= length; done++) {
    const { steps, folders, home, homes, staging, stage, before } = await makeMerge(t);
    await performSteps(steps.slice(0, done), folders);
    renameSync(join(stage.path, 'journal'), join(stage.path, 'journal.undo'));
    for (const step of steps.toReversed().slice(0, Math.floor(length / 2))) await undoStep(step, folders);
    assert.deepEqual(await new BotFiles({ homes }).recover(), []);
    assert.deepEqual([treeOf(home), readdirSync(staging)], [before, []], `after ${done} steps`);
  }
});

test('what was staged without a journal is only cleared', async (t) => {
  const { homes, bot, staging, home } = makeFiles(t);
  await homes.prepare(bot);
  const stage = await homes.staging.create();
  writeFileSync(join(stage.path, 'archive'), 'half');
  await stage.folder.close();
  assert.deepEqual(await new BotFiles({ homes }).recover(), []);
  assert.deepEqual([readdirSync(staging), readdirSync(home)], [[], []]);
});

test('a merge into the home of a bot that was deleted since is dropped', async (t) => {
  const { homes, bot, staging } = await makeMerge(t);
  const files = new BotFiles({ homes });
  assert.deepEqual(await files.recover(), []);
  await homes.remove(bot.id);
  await homes.remove(bot.id);
  assert.deepEqual(readdirSync(staging), []);
});
