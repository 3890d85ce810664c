// Changes homes: new content is staged in full, then moved in, one change per bot at a time.
// Changes that a crash interrupted are completed at the next start.
import { type FileHandle, rename } from 'node:fs/promises';
import { fail } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { ArchiveBounds, Unpacked, UnpackOptions } from './archive.ts';
import { DiskMeter } from './disk-meter.ts';
import type { ByteLimit } from './file-content.ts';
import { errnoOf, toFileError, unlessGone, withFileErrors } from './file-errors.ts';
import { checkFree, find, lastOf } from './file-target.ts';
import type { FileOwner, Homes } from './homes.ts';
import { readJournal, rollBack, rollForward, writeJournal } from './journal.ts';
import { KeyedLock } from '../../core/lib/keyed-lock.ts';
import { type MergeFolders, type MergeRules, makeSlots, planMerge, renameInto } from './merge.ts';
import { emptyFolder } from './remove-tree.ts';
import { parseFolderPath } from './safe-path.ts';
import type { Stage } from './staging.ts';
import { entryPath, makeFolder, openFolder, openRoot } from './walk.ts';

/** Content for the folder `path` ('' = the home); `disk` bounds all of it together. */
export interface Placing extends MergeRules {
  path: string;
  /** The input field that contained `path`. */
  field?: 'path' | 'to';
  disk: ByteLimit;
}

export interface UploadResult {
  filesWritten: number;
  bytesWritten: number;
  filesDeleted: number;
}

/** A new entry of a home: its destination, and its sources, which must exist. */
export interface Making {
  from: { parts: string[]; field: string }[];
  to: string[];
}

/** The created entry of the stage. Counts files and links. */
export interface Made extends Unpacked {
  name: string;
}

export class HomeChanges {
  /** Serializes the commits of changes to one bot's files. */
  readonly lock = new KeyedLock();
  readonly meter: DiskMeter;
  readonly #homes: Homes;
  readonly #bounds: ArchiveBounds;

  constructor(options: { homes: Homes; clock: Clock; archiveBounds: ArchiveBounds }) {
    const { homes, clock } = options;
    this.#bounds = options.archiveBounds;
    this.#homes = homes;
    this.meter = new DiskMeter((botId) => homes.used(botId), clock);
  }

  /**
   * Finishes the changes that a crash interrupted and clears leftovers. Call before anything else.
   * Resolves to the errors of those that could not be finished; they stay for the next start.
   */
  async recover(): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const leftover of await this.#leftovers()) {
      await using stage = leftover;
      try {
        await this.#finish(stage);
      } catch (error) {
        stage.keep = true;
        failures.push(error);
      }
    }
    return failures;
  }

  isBounded(botId: string): boolean {
    return this.#homes.isBounded(botId);
  }

  /** Opens the bot's home, which is created when missing; the caller closes it. */
  async open(bot: FileOwner): Promise<FileHandle> {
    await this.#homes.prepare(bot);
    return openRoot(this.#homes.path(bot.id));
  }

  /** A new stage; the caller disposes of it. */
  stage({ id }: FileOwner): Promise<Stage> {
    return this.#homes.stagingOf(id, 'staging', this.#homes.staging).create();
  }

  /** Like `stage`, for deletions: works on a full disk too. */
  stageToDelete({ id }: FileOwner): Promise<Stage> {
    return this.#homes.stagingOf(id, 'staging', this.#homes.staging).createToDelete();
  }

  async #leftovers(): Promise<Stage[]> {
    const folders = this.#homes.stagings('staging', this.#homes.staging);
    return (await Promise.all(folders.map((folder) => folder.leftovers()))).flat();
  }

  /**
   * Calls `make` to create one entry in the folder `into`, flushes it, and moves it to the path
   * `to`, which must be free (409). All of `from` must exist. Resolves to the number of files and
   * links in it.
   */
  async makeNew(
    bot: FileOwner,
    { from, to }: Making,
    make: (at: { home: FileHandle; stage: Stage; into: FileHandle }) => Promise<Made>,
  ): Promise<number> {
    return withFileErrors(async () => {
      await using home = await this.open(bot);
      for (const { parts, field } of from) {
        if (!(await withFileErrors(() => find(home, parts), field))) throw fail.fileNotFound();
      }
      await checkFree(home, to, 'to');
      await using stage = await this.stage(bot);
      // Not the stage itself: an entry named like a journal must not be taken for one.
      await using into = await makeFolder(stage.folder, 'tree', { uid: bot.uid, mode: 0o700 });
      const { name, files, bytes } = await withFileErrors(() => make({ home, stage, into }), from[0]?.field);
      await this.lock.run(bot.id, async () => {
        await checkFree(home, to, 'to');
        await moveIn({ folder: into, name }, home, { parts: to, uid: bot.uid });
      });
      this.meter.add(bot.id, { bytes, files });
      return files;
    }, 'to');
  }

  /** Merges the folder `tree`, once `fill` has filled it, into one of the home; all or nothing. */
  async place(
    bot: FileOwner,
    placing: Placing,
    fill: (at: { stage: Stage; tree: FileHandle; options: Omit<UnpackOptions, 'work'> }) => Promise<Unpacked>,
  ): Promise<UploadResult> {
    const { path, field = 'path', disk, mirror } = placing;
    const base = parseFolderPath(path, field);
    return withFileErrors(async () => {
      await using home = await this.open(bot);
      await checkFolder(home, base, field);
      await using stage = await this.stage(bot);
      await using folders = await openStaged(stage, bot.uid);
      const { uid } = bot;
      const { tree, slots } = folders;
      const unpacked = await fill({ stage, tree, options: { uid, base, limit: disk, bounds: this.#bounds } });
      await this.lock.run(bot.id, async () => {
        await using target = await openFolder(home, base, { createFor: uid });
        const steps = await planMerge(tree, target, { ...placing, at: base });
        await writeJournal(stage, { botId: bot.id, uid, base, steps });
        await rollForward(stage, steps, { tree, slots, base: target, uid });
      });
      this.meter.add(bot.id, unpacked);
      if (mirror) this.meter.forget(bot.id);
      await using cleared = await openFolder(slots, ['clear']);
      const filesDeleted = await emptyFolder(cleared);
      return { filesWritten: unpacked.files, bytesWritten: unpacked.bytes, filesDeleted };
    }, field);
  }

  async #finish(stage: Stage): Promise<void> {
    const left = await readJournal(stage);
    if (!left) return;
    const { journal, back } = left;
    await using home = await openRoot(this.#homes.path(journal.botId)).catch(unlessGone);
    // The bot was deleted meanwhile.
    if (!home) return;
    await using base = await openFolder(home, journal.base, { createFor: journal.uid });
    await using tree = await openFolder(stage.folder, ['tree']);
    await using slots = await openFolder(stage.folder, ['slots']);
    const folders: MergeFolders = { tree, slots, base, uid: journal.uid };
    if (back) await rollBack(stage, journal.steps, folders);
    else await rollForward(stage, journal.steps, folders);
  }
}

interface StagedFolders extends AsyncDisposable {
  tree: FileHandle;
  slots: FileHandle;
}

async function openStaged(stage: Stage, uid: number): Promise<StagedFolders> {
  const tree = await makeFolder(stage.folder, 'tree', { uid, mode: 0o700 });
  const slots = await makeFolder(stage.folder, 'slots', { uid, mode: 0o700 });
  await makeSlots(slots);
  return {
    tree,
    slots,
    async [Symbol.asyncDispose]() {
      await tree.close();
      await slots.close();
    },
  };
}

/** Rejects early when `parts` can't be a folder; it need not exist. */
async function checkFolder(home: FileHandle, parts: string[], field: string): Promise<void> {
  try {
    await using _ = await openFolder(home, parts);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw toFileError(error, field);
  }
}

/** Renames an entry of an open folder to a free path, whose missing folders are created. */
export async function moveIn(
  from: { folder: FileHandle; name: string },
  home: FileHandle,
  to: { parts: string[]; uid: number },
): Promise<void> {
  await using folder = await openFolder(home, to.parts.slice(0, -1), { createFor: to.uid });
  await renameInto(entryPath(from.folder, from.name), entryPath(folder, lastOf(to.parts)), to.parts.join('/'));
  await folder.sync();
}

/** Moves an entry of a home into a stage; a missing one is fine. */
export async function moveAway(home: FileHandle, parts: string[], to: { stage: Stage; name: string }): Promise<void> {
  await using folder = await openFolder(home, parts.slice(0, -1)).catch(unlessGone);
  // It was inside a folder that was deleted just now.
  if (!folder) return;
  await rename(entryPath(folder, lastOf(parts)), entryPath(to.stage.folder, to.name)).catch(unlessGone);
  await folder.sync();
}
