// Moves a staged tree into a home, all or nothing: plans a list of steps, each a single rename or
// link that can be repeated after a crash and undone in reverse order.
import { type FileHandle, link, mkdir, rename } from 'node:fs/promises';
import { fail } from '../../core/domain/errors.ts';
import { failpoint } from '../../core/lib/failpoint.ts';
import { errnoOf, unlessGone } from './file-errors.ts';
import { RecentFolder } from './recent-folder.ts';
import { entryPath, entryStats, namesIn, openFolder } from './walk.ts';

const stepsMax = 200_000;

/**
 * - save: link the file that the next step replaces into `slot` too
 * - clear: move the entry at `path` to `slot`
 * - place: move the staged entry to `path`
 */
export type Step = { do: 'save' | 'clear'; path: Buffer[]; slot: number } | { do: 'place'; path: Buffer[] };

export interface MergeRules {
  /** Whether files may be replaced; else the first existing one is a 409. */
  overwrite: boolean;
  /** Whether entries that are not staged are deleted. */
  mirror: boolean;
}

/** The staged tree, the slots of removed entries, and the destination in the home. */
export interface MergeFolders {
  tree: FileHandle;
  slots: FileHandle;
  base: FileHandle;
  /** Owner of folders that must be created again. */
  uid: number;
}

/** Replaced files and deleted entries have separate slots, because only the latter are counted. */
const slotFolders = ['save', 'clear'] as const;

/** Creates the two folders of slots. */
export async function makeSlots(slots: FileHandle): Promise<void> {
  for (const name of slotFolders) await mkdir(entryPath(slots, name), 0o700);
}

/** Rejects with 409 when the rules forbid the merge; `at` is the path of `base` in the home. */
export async function planMerge(
  tree: FileHandle,
  base: FileHandle,
  { at: shownAt = [], ...rules }: MergeRules & { at?: string[] },
): Promise<Step[]> {
  const steps: Step[] = [];
  let slots = 0;
  const add = (step: Step) => {
    steps.push(step);
    if (steps.length > stepsMax) throw fail.invalidInput('archive', 'changes too many files at once');
  };
  const displace = (kind: 'save' | 'clear', path: Buffer[]) => add({ do: kind, path, slot: slots++ });

  async function compare(staged: FileHandle, present: FileHandle, at: Buffer[]): Promise<void> {
    for await (const name of namesIn(staged)) {
      const path = [...at, name];
      const there = await entryStats(present, name);
      const isFolder = (await entryStats(staged, name))?.isDirectory() ?? false;
      if (there?.isDirectory() && isFolder) {
        await using stagedInner = await openFolder(staged, [name]);
        await using presentInner = await openFolder(present, [name]);
        await compare(stagedInner, presentInner, path);
        continue;
      }
      if (there) {
        const isSameKind = !there.isDirectory() && !isFolder;
        if (!rules.overwrite || (!isSameKind && !rules.mirror))
          throw fail.pathTaken([...shownAt, textOf(path)].join('/'));
        displace(isSameKind ? 'save' : 'clear', path);
      }
      add({ do: 'place', path });
    }
    if (!rules.mirror) return;
    for await (const name of namesIn(present)) {
      if (!(await entryStats(staged, name))) displace('clear', [...at, name]);
    }
  }

  await compare(tree, base, []);
  return steps;
}

/** Skips steps performed before. Rejects when the bot changed an entry meanwhile. */
export async function performSteps(steps: readonly Step[], folders: MergeFolders): Promise<void> {
  await using open = new AsyncDisposableStack();
  const tree = open.use(new RecentFolder(folders.tree));
  const slots = open.use(new RecentFolder(folders.slots));
  const base = open.use(new RecentFolder(folders.base));
  const recent = { tree, slots, base, uid: folders.uid };
  for (const step of steps) {
    try {
      await performStep(step, recent);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      // The bot has deleted a folder that was still open here: retry with its current state.
      await base.forget();
      await performStep(step, recent);
    }
    await failpoint('upload.step');
  }
}

interface RecentFolders {
  tree: RecentFolder;
  slots: RecentFolder;
  base: RecentFolder;
  uid: number;
}

async function performStep(step: Step, folders: RecentFolders): Promise<void> {
  const name = step.path.at(-1) as Buffer;
  const parents = step.path.slice(0, -1);
  if (step.do === 'place') {
    const from = await folders.tree.open(parents).catch(unlessGone);
    if (!from || !(await entryStats(from, name))) return;
    const to = await folders.base.open(parents, { createFor: folders.uid });
    await renameInto(entryPath(from, name), entryPath(to, name), textOf(step.path));
    return;
  }
  const slots = await folders.slots.open([Buffer.from(step.do)]);
  const slot = String(step.slot);
  const from = await folders.base.open(parents).catch(unlessGone);
  if (!from || (await entryStats(slots, slot))) return;
  const move = step.do === 'save' ? link : rename;
  await move(entryPath(from, name), entryPath(slots, slot)).catch(unlessGone);
}

/** Undoes a step that was performed; skips one that was not. */
export async function undoStep(step: Step, folders: MergeFolders): Promise<void> {
  const name = step.path.at(-1) as Buffer;
  const parents = step.path.slice(0, -1);
  if (step.do === 'place') {
    await using to = await openFolder(folders.tree, parents);
    if (await entryStats(to, name)) return;
    await using from = await openFolder(folders.base, parents).catch(unlessGone);
    if (from) await rename(entryPath(from, name), entryPath(to, name)).catch(unlessGone);
    return;
  }
  await using slots = await openFolder(folders.slots, [step.do]);
  const slot = String(step.slot);
  if (!(await entryStats(slots, slot))) return;
  await using to = await openFolder(folders.base, parents, { createFor: folders.uid });
  await renameInto(entryPath(slots, slot), entryPath(to, name), textOf(step.path));
}

/** 409 about `shown` when the bot has put an entry of another kind there since the check. */
export async function renameInto(from: string | Buffer, to: string | Buffer, shown: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'EISDIR', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw fail.pathTaken(shown);
    throw error;
  }
}

function textOf(path: Buffer[]): string {
  return path.map((name) => name.toString('utf8')).join('/');
}
