// The folders on this machine that bots get: a home each, the passwd file that names their user, and the launcher that
// all share. Must not read or write what is inside a home (bot-files.ts does).
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '../lib/ids.ts';
import { errnoOf } from './file-errors.ts';
import { canGiveAway, giveTo } from './ownership.ts';
import { Staging } from './staging.ts';
import { type DiskUse, measureTree } from './tree-scan.ts';
import { entryPath, openRoot } from './walk.ts';

const scanTimeMs = 10_000;

/** A bot as far as its files go. */
export interface FileOwner {
  id: string;
  /** uid and gid of its files. */
  uid: number;
}

export class Homes {
  readonly staging: Staging;
  /** False when this process is not root: homes then belong to its own user. For tests only. */
  readonly givesAway = canGiveAway;
  /** Path of the launcher; mounted read-only into every container. */
  readonly launcherPath: string;
  readonly #homes: string;
  readonly #passwd: string;
  readonly #launcherSource: string;
  readonly #alsoRemove: (botId: string) => Promise<void>;

  /**
   * Makes the folders below `directory` (absolute). `launcherSource` is the script that `install` copies; `alsoRemove`
   * deletes what is kept of a bot elsewhere, when its home is removed.
   */
  constructor(options: {
    directory: string;
    launcherSource: string;
    alsoRemove?: (botId: string) => Promise<void>;
  }) {
    this.#alsoRemove = options.alsoRemove ?? (async () => {});
    this.#homes = join(options.directory, 'homes');
    this.#passwd = join(options.directory, 'passwd');
    this.launcherPath = join(options.directory, 'launch');
    this.#launcherSource = options.launcherSource;
    for (const folder of [this.#homes, this.#passwd]) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o711);
    }
    this.staging = new Staging(join(options.directory, 'staging'));
  }

  /** Puts the present launcher in place; running containers keep the one that they began with. */
  install(): void {
    const fresh = `${this.launcherPath}.${randomUUID()}`;
    copyFileSync(this.#launcherSource, fresh);
    chmodSync(fresh, 0o755);
    renameSync(fresh, this.launcherPath);
  }

  /** Where the bot's home is on this machine. */
  path(botId: string): string {
    return join(this.#homes, fileName(botId));
  }

  /** Where the bot's `/etc/passwd` is on this machine. */
  passwdPath(botId: string): string {
    return join(this.#passwd, fileName(botId));
  }

  /** Makes sure that the bot has a home of its own (0700) and a passwd file that names its user. */
  async prepare(bot: FileOwner): Promise<void> {
    await mkdir(this.path(bot.id), { mode: 0o700 }).catch(unlessThere);
    {
      await using home = await openRoot(this.path(bot.id));
      const stats = await home.stat();
      const isRight =
        (stats.mode & 0o7777) === 0o700 && (!canGiveAway || (stats.uid === bot.uid && stats.gid === bot.uid));
      if (!isRight) giveTo(home, bot.uid, 0o700);
    }
    await this.#writePasswd(bot);
  }

  /** Deletes the bot's home, whatever is in it, and its passwd file; fine when they are gone. */
  async remove(botId: string): Promise<void> {
    await using stage = await this.staging.create();
    await rename(this.path(botId), entryPath(stage.folder, 'home')).catch(unlessGone);
    await rm(this.passwdPath(botId), { force: true });
    await this.#alsoRemove(botId);
  }

  /** Space that the bot's files take, counted for at most ten seconds; 0 when it has no home. */
  async usedBytes(botId: string): Promise<DiskUse> {
    const home = await openRoot(this.path(botId)).catch(unlessGone);
    if (!home) return { bytes: 0, complete: true };
    try {
      return await measureTree(home, scanTimeMs);
    } finally {
      await home.close();
    }
  }

  async #writePasswd(bot: FileOwner): Promise<void> {
    const path = this.passwdPath(bot.id);
    const wanted = passwdOf(bot.uid);
    if ((await readFile(path, 'utf8').catch(unlessGone)) === wanted) return;
    const fresh = `${path}.${randomUUID()}`;
    await writeFile(fresh, wanted);
    await chmod(fresh, 0o444);
    await rename(fresh, path);
  }
}

function passwdOf(uid: number): string {
  return [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `bot:x:${uid}:${uid}:bot:/home/bot:/bin/bash`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    '',
  ].join('\n');
}

/** The id as a file name. Ids come from the store; this keeps a mistake elsewhere from becoming a path. */
function fileName(botId: string): string {
  if (!isUuid(botId)) throw new Error('The id of a bot is not a UUID');
  return botId;
}

function unlessThere(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}

function unlessGone(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}
