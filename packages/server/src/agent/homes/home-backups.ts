// Packs homes into backups and restores them. A restore is unpacked beside the home and swapped in
// by two renames, journaled before the first: after a crash at any moment either the old or the new
// tree is in place.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { failpoint } from '../../core/lib/failpoint.ts';
import type { Work } from '../work/owner-work.ts';
import type { ByteLimit } from './file-content.ts';
import { toFileError, unlessGone } from './file-errors.ts';
import { packHome, settingsOf, unpackHome } from './home-archive.ts';
import type { FileOwner, Homes } from './homes.ts';
import { type Stage, Staging } from './staging.ts';
import { makeFolder, openRoot } from './walk.ts';

/** Applies the settings that came with restored files. */
export type ApplySettings = (botId: string, settings: string) => Promise<void>;

export interface Restore {
  backup: Readable;
  /** Bounds all files together. */
  limit: ByteLimit;
  work: Work;
  /** Runs the exchange of the trees while nothing else changes the home; may reject instead. */
  exclusively(exchange: () => Promise<void>): Promise<void>;
  apply: ApplySettings;
}

export interface NewHome<T> extends Pick<Restore, 'backup' | 'limit' | 'work'> {
  /** Records the bot of the new home: a home whose bot is not recorded is deleted. */
  record(): Promise<T>;
}

/**
 * The decision to restore: from here on a crash leads to the new tree. Without settings it is the
 * home of a new bot, which survives a crash only if the bot was recorded.
 */
interface Journal {
  botId: string;
  settings: string | null;
}

/** Queries about bots that `recover` needs. */
interface Recovery {
  apply: ApplySettings;
  isRecorded(botId: string): Promise<boolean>;
}

const journalName = 'journal';
const newName = 'new';
const oldName = 'old';

export class HomeBackups {
  readonly #homes: Homes;
  readonly #staging: Staging;

  /** `directory` is created when missing; it must be on the same file system as the homes. */
  constructor(homes: Homes, directory: string) {
    this.#homes = homes;
    this.#staging = new Staging(directory);
  }

  /**
   * Finishes the restores that an earlier process had decided and clears the others. Call before
   * anything changes a home. Resolves to the errors; trees that could not be exchanged are retried
   * at the next start.
   */
  async recover(recovery: Recovery): Promise<unknown[]> {
    const failures: unknown[] = [];
    const folders = this.#homes.stagings('restoring', this.#staging);
    for (const leftover of (await Promise.all(folders.map((folder) => folder.leftovers()))).flat()) {
      await using stage = leftover;
      try {
        stage.keep = true;
        const journal = await readJournal(stage);
        if (journal) await this.#finish(stage, journal, recovery);
        stage.keep = false;
        if (typeof journal?.settings === 'string') await recovery.apply(journal.botId, journal.settings);
      } catch (error) {
        failures.push(error);
      }
    }
    return failures;
  }

  /** The bytes of a backup of the bot's files as they are now, with `settings` beside them. */
  async *pack(bot: FileOwner, settings: string, work: Work): AsyncGenerator<Buffer> {
    await this.#homes.prepare(bot);
    await using home = await openRoot(this.#homes.path(bot.id));
    try {
      yield* packHome(home, settings, work);
    } catch (error) {
      throw toFileError(error, 'files');
    }
  }

  /** When it rejects, the old files are in place, unless `apply` (run last) failed. */
  async restore(bot: FileOwner, restore: Restore): Promise<void> {
    await this.#homes.prepare(bot);
    await using stage = await this.#stage(bot);
    const settings = await unpackInto(stage, bot.uid, restore);
    await stage.flush();
    await restore.exclusively(async () => {
      await writeJournal(stage, { botId: bot.id, settings });
      await this.#exchange(stage, bot.id);
    });
    await failpoint('restore.exchanged');
    await restore.apply(bot.id, settings);
    await removeJournal(stage);
  }

  /** The settings in a backup. */
  settings(backup: Readable): Promise<string> {
    return settingsOf(backup);
  }

  /** Gives a new bot the files of a backup. When it rejects, none of them are left. */
  async found<T>(bot: FileOwner, { backup, limit, work, record }: NewHome<T>): Promise<T> {
    // Created before the home: the next start clears what can't be cleared now.
    await using mark = await this.#staging.create();
    await writeJournal(mark, { botId: bot.id, settings: null });
    mark.keep = true;
    try {
      await this.#homes.prepare(bot);
      await this.#fill(bot, { backup, limit, work });
      const recorded = await record();
      mark.keep = false;
      return recorded;
    } catch (error) {
      backup.destroy();
      await this.#homes.remove(bot.id);
      mark.keep = false;
      throw error;
    }
  }

  /** Puts a tree in the place of an empty home. */
  async #fill(bot: FileOwner, source: Pick<Restore, 'backup' | 'limit' | 'work'>): Promise<void> {
    await using stage = await this.#stage(bot);
    await unpackInto(stage, bot.uid, source);
    await stage.flush();
    await rename(join(stage.path, newName), this.#homes.path(bot.id));
    await stage.flush();
  }

  #stage({ id }: FileOwner): Promise<Stage> {
    return this.#homes.stagingOf(id, 'restoring', this.#staging).create();
  }

  async #exchange(stage: Stage, botId: string): Promise<void> {
    const home = this.#homes.path(botId);
    const old = join(stage.path, oldName);
    await failpoint('restore.journal');
    try {
      await rename(home, old);
      await failpoint('restore.moved');
      await rename(join(stage.path, newName), home);
    } catch (error) {
      // If this fails too, the next start continues from the journal.
      stage.keep = true;
      if (await exists(old)) await rename(old, home);
      await removeJournal(stage);
      stage.keep = false;
      throw error;
    }
    // Only now may the old tree be deleted with the stage.
    await stage.flush();
  }

  /** Performs the remaining steps of a decided restore; each may be done already. */
  async #finish(stage: Stage, { botId, settings }: Journal, { isRecorded }: Recovery): Promise<void> {
    if (settings === null) {
      if (!(await isRecorded(botId))) await this.#homes.remove(botId);
      return;
    }
    const home = this.#homes.path(botId);
    const old = join(stage.path, oldName);
    if (!(await exists(join(stage.path, newName)))) return;
    if (!(await exists(old))) await rename(home, old).catch(unlessGone);
    await rename(join(stage.path, newName), home);
    await stage.flush();
  }
}

async function unpackInto(
  stage: Stage,
  uid: number,
  { backup, limit, work }: Pick<Restore, 'backup' | 'limit' | 'work'>,
): Promise<string> {
  try {
    await using home = await makeFolder(stage.folder, newName, { uid, mode: 0o700 });
    return await unpackHome(backup, home, { uid, limit, work });
  } finally {
    backup.destroy();
  }
}

async function writeJournal(stage: Stage, journal: Journal): Promise<void> {
  const fresh = join(stage.path, `${journalName}.new`);
  await writeFile(fresh, JSON.stringify(journal), { mode: 0o600, flush: true });
  await rename(fresh, join(stage.path, journalName));
  await stage.folder.sync();
}

/** Called before the stage is deleted: its remains must not be taken for a restore. */
async function removeJournal(stage: Stage): Promise<void> {
  await rm(join(stage.path, journalName));
  await stage.folder.sync();
}

async function readJournal(stage: Stage): Promise<Journal | null> {
  const text = await readFile(join(stage.path, journalName), 'utf8').catch(unlessGone);
  return text === null ? null : (JSON.parse(text) as Journal);
}

async function exists(path: string): Promise<boolean> {
  await using folder = await openRoot(path).catch(unlessGone);
  return folder !== null;
}
