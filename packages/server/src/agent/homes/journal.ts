// Makes a merge survive crashes: recorded steps are rolled forward at the next start.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failpoint } from '../../core/lib/failpoint.ts';
import { unlessGone } from './file-errors.ts';
import { type MergeFolders, performSteps, type Step, undoStep } from './merge.ts';
import type { Stage } from './staging.ts';

/** The content of a stage's journal. */
export interface Journal {
  botId: string;
  uid: number;
  /** Destination of the tree, as parts from the home. */
  base: string[];
  steps: Step[];
}

const forward = 'journal';
const backward = 'journal.undo';

/** Flushes the stage and its journal: from here on a crash leads to the new tree. */
export async function writeJournal(stage: Stage, journal: Journal): Promise<void> {
  const fresh = join(stage.path, 'journal.new');
  // Names are arbitrary bytes: latin1 maps each byte to one character and back.
  const steps = journal.steps.map((step) => ({ ...step, path: step.path.map((name) => name.toString('latin1')) }));
  await writeFile(fresh, JSON.stringify({ ...journal, steps }), { mode: 0o600 });
  await stage.flush();
  await rename(fresh, join(stage.path, forward));
  await stage.folder.sync();
  await failpoint('upload.journal');
}

/** The journal left in the stage, with its direction; null when the merge never began. */
export async function readJournal(stage: Stage): Promise<{ journal: Journal; back: boolean } | null> {
  for (const name of [forward, backward]) {
    const text = await readFile(join(stage.path, name), 'utf8').catch(unlessGone);
    if (text === null) continue;
    const journal = JSON.parse(text) as Journal & { steps: { path: string[] }[] };
    const steps = journal.steps.map((step) => ({
      ...step,
      path: (step.path as unknown as string[]).map((part) => Buffer.from(part, 'latin1')),
    }));
    return { journal: { ...journal, steps }, back: name === backward };
  }
  return null;
}

/** Performs all steps of a written journal; when one fails, undoes all and rejects. */
export async function rollForward(stage: Stage, steps: Step[], folders: MergeFolders): Promise<void> {
  try {
    await performSteps(steps, folders);
  } catch (error) {
    await rename(join(stage.path, forward), join(stage.path, backward));
    await rollBack(stage, steps, folders);
    throw error;
  }
  // Only now may replaced files be deleted with the stage.
  await stage.flush();
  await failpoint('upload.done');
}

/** When a step can't be undone, keeps the stage for the next start and rejects. */
export async function rollBack(stage: Stage, steps: Step[], folders: MergeFolders): Promise<void> {
  stage.keep = true;
  for (const step of steps.toReversed()) await undoStep(step, folders);
  await stage.flush();
  stage.keep = false;
}
