// Everything that may be done with the files of a bot, from outside of its container. All of it goes through the walk
// (walk.ts); new files are made in staging and moved in. Must not know callers, plans or HTTP.
import { type FileHandle, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fail } from '../domain/errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type ArchiveBounds, type ArchiveFormat, archiveBounds, unpack } from './archive.ts';
import { DiskMeter } from './disk-meter.ts';
import { streamOf, writeContent } from './file-content.ts';
import { errnoOf, toFileError, withFileErrors } from './file-errors.ts';
import { checkTarget, type FileFacts, type FileWrite, factsOf, find, lastOf } from './file-target.ts';
import { type FileList, listFolder } from './folder-list.ts';
import { zipFolder } from './folder-zip.ts';
import type { FileOwner, Homes } from './homes.ts';
import { readJournal, rollBack, rollForward, writeJournal } from './journal.ts';
import { KeyedLock } from './keyed-lock.ts';
import { type MergeFolders, type MergeRules, makeSlots, planMerge } from './merge.ts';
import { giveTo } from './ownership.ts';
import { emptyFolder } from './remove-tree.ts';
import { parseFolderPath, parsePath } from './safe-path.ts';
import type { Stage } from './staging.ts';
import { createFile, entryPath, lookAt, makeFolder, openFile, openFolder, openRoot } from './walk.ts';

/** An archive to unpack into the folder `path`. Sizes in bytes. */
export interface ArchiveUpload extends MergeRules {
  path: string;
  body: Readable;
  format: ArchiveFormat;
  /** Most bytes of the archive. */
  bytesMax: number;
  /** Most bytes of what is in it. */
  unpackedBytesMax: number;
}

export interface UploadResult {
  filesWritten: number;
  bytesWritten: number;
  filesDeleted: number;
}

const mebibyte = 1024 * 1024;

export class BotFiles {
  readonly #homes: Homes;
  /** Changes of one bot's files are committed one after the other. */
  readonly #lock = new KeyedLock();
  readonly #meter: DiskMeter;
  readonly #bounds: ArchiveBounds;

  constructor(options: { homes: Homes; clock?: Clock; archiveBounds?: ArchiveBounds }) {
    const { homes } = options;
    this.#bounds = options.archiveBounds ?? archiveBounds;
    this.#homes = homes;
    this.#meter = new DiskMeter((botId) => homes.usedBytes(botId), options.clock ?? systemClock);
  }

  /**
   * Finishes what an earlier process was cut off in and clears its leftovers. Call before anything else. Resolves to
   * the errors of those that could not be finished; they stay for the next start.
   */
  async recover(): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const leftover of await this.#homes.staging.leftovers()) {
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

  /** Bytes that the bot's files take, at most a minute old. */
  usedBytes(botId: string): Promise<number> {
    return this.#meter.usedBytes(botId);
  }

  /** Entries of a folder ('' = the home) in the order of their names' bytes. */
  async list(bot: FileOwner, path: string, page: { limit: number; cursor: string | null }): Promise<FileList> {
    const parts = parseFolderPath(path);
    return withFileErrors(async () => {
      await using home = await this.#open(bot);
      await using folder = await openFolder(home, parts);
      return await listFolder(folder, page);
    });
  }

  /** Facts of a regular file and its bytes; the stream must be read or destroyed. */
  async read(bot: FileOwner, path: string): Promise<FileFacts & { stream: Readable }> {
    const parts = parsePath(path);
    return withFileErrors(async () => {
      await using home = await this.#open(bot);
      await using folder = await openFolder(home, parts.slice(0, -1));
      const { handle, stats } = await openFile(folder, lastOf(parts));
      return { ...factsOf(stats), stream: streamOf(handle, stats) };
    });
  }

  /** The folder at `path` ('' = the home) as a zip file, or null when a file is there; the stream must be read or destroyed. */
  async zip(bot: FileOwner, path: string): Promise<Readable | null> {
    const parts = parseFolderPath(path);
    return withFileErrors(async () => {
      await using home = await this.#open(bot);
      await using parent = await openFolder(home, parts.slice(0, -1));
      if (parts.length > 0 && (await lookAt(parent, lastOf(parts)))?.isFile()) return null;
      return zipFolder(await openFolder(home, parts));
    });
  }

  /** Makes or replaces one file; its missing folders are made. Rejects with 409 when a condition does not hold. */
  async write(bot: FileOwner, write: FileWrite): Promise<FileFacts> {
    const parts = parsePath(write.path);
    return withFileErrors(async () => {
      await using home = await this.#open(bot);
      await checkTarget(home, parts, write);
      await using stage = await this.#homes.staging.create();
      await using file = await createFile(stage.folder, 'file');
      const bytes = await writeContent(file, write.body, write.bytesMax, () =>
        fail.fileTooLarge(Math.floor(write.bytesMax / mebibyte)),
      );
      return await this.#lock.run(bot.id, async () => {
        const before = await checkTarget(home, parts, write);
        await giveTo(file, bot.uid, before ? Number(before.mode) : 0o644);
        await using folder = await openFolder(home, parts.slice(0, -1), { createFor: bot.uid });
        await rename(entryPath(stage.folder, 'file'), entryPath(folder, lastOf(parts)));
        await folder.sync();
        this.#meter.add(bot.id, bytes);
        return factsOf(await file.stat({ bigint: true }));
      });
    });
  }

  /** Deletes files and whole folders; all must exist, else none is deleted. Resolves to the number of paths. */
  async delete(bot: FileOwner, paths: readonly string[]): Promise<number> {
    const targets = paths.map((path, index) => parsePath(path, `paths[${index}]`));
    return withFileErrors(async () => {
      await using home = await this.#open(bot);
      await using stage = await this.#homes.staging.create();
      await this.#lock.run(bot.id, async () => {
        for (const [index, parts] of targets.entries()) {
          if (!(await withFileErrors(() => find(home, parts), `paths[${index}]`))) throw fail.fileNotFound();
        }
        for (const [index, parts] of targets.entries())
          await moveAway(home, parts, { stage, name: `deleted-${index}` });
      });
      this.#meter.forget(bot.id);
      return targets.length;
    }, 'paths');
  }

  /** Unpacks an archive into a folder, which is made when missing. All or nothing. */
  async upload(bot: FileOwner, upload: ArchiveUpload): Promise<UploadResult> {
    const base = parseFolderPath(upload.path);
    return withFileErrors(async () => {
      await using home = await this.#open(bot);
      await checkFolder(home, base);
      await using stage = await this.#homes.staging.create();
      await receive(stage, upload);
      await using folders = await openStaged(stage, bot.uid);
      const archive = { path: join(stage.path, 'archive'), format: upload.format };
      const options = { uid: bot.uid, base, bytesMax: upload.unpackedBytesMax, bounds: this.#bounds };
      const unpacked = await unpack(archive, folders.tree, options);
      await this.#lock.run(bot.id, () => this.#merge(stage, { bot, base, rules: upload, home, folders }));
      this.#meter.add(bot.id, unpacked.bytes);
      if (upload.mirror) this.#meter.forget(bot.id);
      await using cleared = await openFolder(folders.slots, ['clear']);
      const filesDeleted = await emptyFolder(cleared);
      return { filesWritten: unpacked.files, bytesWritten: unpacked.bytes, filesDeleted };
    });
  }

  /** Commits a staged tree. */
  async #merge(stage: Stage, merge: Merge): Promise<void> {
    await using base = await openFolder(merge.home, merge.base, { createFor: merge.bot.uid });
    const steps = await planMerge(merge.folders.tree, base, merge.rules);
    await writeJournal(stage, { botId: merge.bot.id, uid: merge.bot.uid, base: merge.base, steps });
    await rollForward(stage, steps, { tree: merge.folders.tree, slots: merge.folders.slots, base, uid: merge.bot.uid });
  }

  async #finish(stage: Stage): Promise<void> {
    const left = await readJournal(stage);
    if (!left) return;
    const { journal, back } = left;
    const home = await openRoot(this.#homes.path(journal.botId)).catch((error) => {
      // The bot was deleted since.
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (!home) return;
    await using _ = home;
    await using base = await openFolder(home, journal.base, { createFor: journal.uid });
    await using tree = await openFolder(stage.folder, ['tree']);
    await using slots = await openFolder(stage.folder, ['slots']);
    const folders: MergeFolders = { tree, slots, base, uid: journal.uid };
    if (back) await rollBack(stage, journal.steps, folders);
    else await rollForward(stage, journal.steps, folders);
  }

  async #open(bot: FileOwner): Promise<FileHandle> {
    await this.#homes.prepare(bot);
    return openRoot(this.#homes.path(bot.id));
  }
}

interface Merge {
  bot: FileOwner;
  base: string[];
  rules: MergeRules;
  home: FileHandle;
  folders: StagedFolders;
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

async function receive(stage: Stage, upload: ArchiveUpload): Promise<void> {
  await using file = await createFile(stage.folder, 'archive');
  const tooLarge = () => fail.bodyTooLarge(Math.floor(upload.bytesMax / mebibyte));
  await writeContent(file, upload.body, upload.bytesMax, tooLarge);
}

/** Rejects early when a folder can't be at `parts`; it need not exist. */
async function checkFolder(home: FileHandle, parts: string[]): Promise<void> {
  try {
    await using _ = await openFolder(home, parts);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw toFileError(error);
  }
}

async function moveAway(home: FileHandle, parts: string[], to: { stage: Stage; name: string }): Promise<void> {
  try {
    await using folder = await openFolder(home, parts.slice(0, -1));
    await rename(entryPath(folder, lastOf(parts)), entryPath(to.stage.folder, to.name));
    await folder.sync();
  } catch (error) {
    // It was inside of a folder that was deleted just now.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
