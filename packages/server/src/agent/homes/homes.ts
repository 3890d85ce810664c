// Host folders of a bot: its home, its passwd file, and the launcher that all bots share.
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesLimit, mebibyte } from '../../core/domain/quota.ts';
import { isUuid } from '../../core/lib/ids.ts';
import { unlessGone, unlessThere } from './file-errors.ts';
import { HomeImages } from './home-images.ts';
import type { ImageSize } from './image-tools.ts';
import { canGiveAway, chownFile } from './ownership.ts';
import { Staging } from './staging.ts';
import { type Counted, measureTree } from './tree-scan.ts';
import { entryPath, openRoot } from './walk.ts';

const scanTimeMs = 10_000;

/** The fields of a bot that its files depend on. */
export interface FileOwner {
  id: string;
  /** uid and gid of its files. */
  uid: number;
  /** Disk limit in MB; needed where homes get images. */
  diskMb?: number;
  /** Whose work on the files it is; without one the bot counts for itself. */
  ownerId?: string;
}

export class Homes {
  /** For homes that are plain folders. */
  readonly staging: Staging;
  /** False when this process is not root: homes then belong to its own user. For tests only. */
  readonly givesAway = canGiveAway;
  /** Path of the launcher; mounted read-only into every container. */
  readonly launcherPath: string;
  readonly #homes: string;
  readonly #passwd: string;
  readonly #launcherSource: string;
  readonly #images: HomeImages;
  readonly #makesImages: boolean;
  /** Bots whose images were mounted when this process began. */
  #mounted: string[] = [];
  readonly #alsoRemove: (botId: string) => Promise<void>;

  /**
   * Creates the folders below `directory` (absolute). `launcherSource` is the script that `install`
   * copies; `alsoRemove` deletes a bot's data elsewhere when its home is removed; `makesImages`
   * gives each new home an image, which bounds it. Existing homes keep their kind.
   */
  constructor(options: {
    directory: string;
    launcherSource: string;
    alsoRemove?: (botId: string) => Promise<void>;
    makesImages?: boolean;
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
    this.staging = new Staging(join(options.directory, 'staging'), join(options.directory, 'spare'));
    this.#images = new HomeImages(this.#homes, join(options.directory, 'images'));
    this.#makesImages = options.makesImages ?? false;
  }

  /** Installs the current launcher; running containers keep the one that they started with. */
  install(): void {
    const fresh = `${this.launcherPath}.${randomUUID()}`;
    copyFileSync(this.#launcherSource, fresh);
    chmodSync(fresh, 0o755);
    renameSync(fresh, this.launcherPath);
  }

  /** Path of the bot's home on this machine. */
  path(botId: string): string {
    const plain = join(this.#homes, fileName(botId));
    return this.#images.has(botId) ? this.#images.path(botId, 'home') : plain;
  }

  /** Whether the bot's home is a file system of its own. */
  isBounded(botId: string): boolean {
    return this.#images.has(botId);
  }

  /** Mounts the homes with images again. Call before anything else; resolves to the errors. */
  async recover(): Promise<unknown[]> {
    const { mounted, failures } = await this.#images.recover();
    this.#mounted = mounted;
    return failures;
  }

  /** At the end of this process; see HomeImages.leave. */
  leave(goOn: ReadonlySet<string>): Promise<unknown[]> {
    return this.#images.leave(goOn);
  }

  /** A staging folder on the file system of the bot's home; `plain`: that of plain folders. */
  stagingOf(botId: string, kind: 'staging' | 'restoring', plain: Staging): Staging {
    return this.#images.has(botId)
      ? new Staging(this.#images.path(botId, kind), this.#images.path(botId, 'spare'))
      : plain;
  }

  /** All folders in which an earlier process may have left something. */
  stagings(kind: 'staging' | 'restoring', plain: Staging): Staging[] {
    return [plain, ...this.#mounted.map((botId) => this.stagingOf(botId, kind, plain))];
  }

  /** Path of the bot's `/etc/passwd` on this machine. */
  passwdPath(botId: string): string {
    return join(this.#passwd, fileName(botId));
  }

  /** Makes sure that the bot has its own home (0700) and a passwd file that names its user. */
  async prepare(bot: FileOwner): Promise<void> {
    if (this.#images.has(bot.id)) await this.#images.mount(bot.id);
    else if (this.#makesImages && !(await this.#hasFolder(bot.id))) await this.#images.make(bot.id, imageSize(bot));
    else await mkdir(this.path(bot.id), { mode: 0o700 }).catch(unlessThere);
    {
      await using home = await openRoot(this.path(bot.id));
      const stats = await home.stat();
      const isRight =
        (stats.mode & 0o7777) === 0o700 && (!canGiveAway || (stats.uid === bot.uid && stats.gid === bot.uid));
      if (!isRight) chownFile(home, bot.uid, 0o700);
    }
    await this.#writePasswd(bot);
  }

  /** Resizes an image to its bot's limit. Call while nothing of the bot runs. */
  async fit(bot: FileOwner): Promise<void> {
    if (this.#images.has(bot.id)) await this.#images.fit(bot.id, imageSize(bot));
  }

  /** Deletes the bot's home with everything in it, and its passwd file; missing ones are fine. */
  async remove(botId: string): Promise<void> {
    if (this.#images.has(botId)) await this.#images.remove(botId);
    else await this.#removeFolder(botId);
    await rm(this.passwdPath(botId), { force: true });
    await this.#alsoRemove(botId);
  }

  /** The bot's disk use, counted for at most ten seconds; 0 when it has no home. */
  async used(botId: string): Promise<Counted> {
    if (this.#images.has(botId)) return this.#images.use(botId);
    await using home = await openRoot(this.path(botId)).catch(unlessGone);
    return home ? await measureTree(home, scanTimeMs) : { bytes: 0, files: 0, complete: true };
  }

  async #hasFolder(botId: string): Promise<boolean> {
    return (await stat(this.path(botId)).catch(unlessGone)) !== null;
  }

  async #removeFolder(botId: string): Promise<void> {
    await using stage = await this.staging.createToDelete();
    await rename(this.path(botId), entryPath(stage.folder, randomUUID())).catch(unlessGone);
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

/** Twice the files: a restore holds the old and the new ones side by side. */
function imageSize({ diskMb }: FileOwner): ImageSize {
  if (diskMb === undefined) throw new Error('The limit of a bot with an image is not known');
  return { limitBytes: diskMb * mebibyte, files: 2 * filesLimit(diskMb) };
}

function passwdOf(uid: number): string {
  return [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `bot:x:${uid}:${uid}:bot:/home/bot:/bin/bash`,
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    '',
  ].join('\n');
}

/** Ids come from the store; this check keeps a bug elsewhere from turning into a path. */
function fileName(botId: string): string {
  if (!isUuid(botId)) throw new Error('The id of a bot is not a UUID');
  return botId;
}
