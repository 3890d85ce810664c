// Homes in file systems of their own: one image file per bot holds its home and its staging and is
// mounted at the home's usual path. A bot can fill its own image only.
import { mkdirSync, readdirSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm, rmdir, stat, statfs, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../core/lib/semaphore.ts';
import { errnoOf, unlessGone, unlessThere } from './file-errors.ts';
import {
  growFileSystem,
  type ImageSize,
  imageBytes,
  isAttached,
  makeFileSystem,
  mountImage,
  repair,
  reserve,
  unmount,
} from './image-tools.ts';
import { KeyedLock } from '../../core/lib/keyed-lock.ts';
import type { Counted } from './tree-scan.ts';

const ending = '.img';
const unfinished = '.new';
const blockBytes = 4096;
/** Concurrent mounts or unmounts when all images are processed. */
const atOnce = 4;
/** Files and folders in a new image, before any of its bot. */
const ownFiles = 15;

/** Folders in the root of every image; only root can enter those other than the home. */
export const imageFolders = { home: 'home', staging: 'staging', restoring: 'restoring', spare: 'spare' } as const;

export class HomeImages {
  readonly #homes: string;
  readonly #images: string;
  readonly #ids: Set<string>;
  readonly #lock = new KeyedLock();

  /** `homes` holds the mount points; `images` is created when missing. */
  constructor(homes: string, images: string) {
    this.#homes = homes;
    this.#images = images;
    mkdirSync(images, { recursive: true, mode: 0o700 });
    const names = readdirSync(images).filter((name) => name.endsWith(ending));
    this.#ids = new Set(names.map((name) => name.slice(0, -ending.length)));
  }

  has(botId: string): boolean {
    return this.#ids.has(botId);
  }

  /** Path on this machine of a folder in the bot's image. */
  path(botId: string, folder: keyof typeof imageFolders): string {
    return join(this.#at(botId), imageFolders[folder]);
  }

  /**
   * Mounts all images, takes over those still mounted by an earlier process, and clears incomplete
   * ones. Resolves to the bots whose home is mounted, and to the errors of the others.
   */
  async recover(): Promise<{ mounted: string[]; failures: unknown[] }> {
    const [mounted, failures]: [string[], unknown[]] = [[], []];
    for (const name of readdirSync(this.#images).filter((each) => each.endsWith(unfinished))) {
      await this.#discard(name.slice(0, -unfinished.length)).catch((error) => failures.push(error));
    }
    failures.push(
      ...(await this.#each([...this.#ids], async (botId) => {
        await this.mount(botId);
        mounted.push(botId);
      })),
    );
    return { mounted, failures };
  }

  /**
   * Unmounts all images except those of bots that keep running; call when nothing else in this
   * process needs them. Images with open files stay mounted. Resolves to the errors.
   */
  leave(goOn: ReadonlySet<string>): Promise<unknown[]> {
    const idle = [...this.#ids].filter((botId) => !goOn.has(botId));
    return this.#each(idle, (botId) =>
      this.#lock.run(botId, async () => {
        if (await this.#isMounted(botId)) await unmount(this.#at(botId));
      }),
    );
  }

  /** Creates the bot's image with an empty home, all or nothing; an existing one is fine. */
  make(botId: string, size: ImageSize): Promise<void> {
    return this.#lock.run(botId, async () => {
      if (this.has(botId)) return;
      const fresh = this.#image(botId, unfinished);
      try {
        await makeSparse(fresh, imageBytes(size));
        await makeFileSystem(fresh, size);
        await this.#mountFile(botId, fresh);
        for (const folder of Object.values(imageFolders)) await mkdir(join(this.#at(botId), folder), { mode: 0o700 });
        await reserve(fresh, this.#at(botId), size.limitBytes);
        await sync(this.#at(botId));
        await rename(fresh, this.#image(botId));
        await sync(this.#images);
      } catch (error) {
        await this.#discard(botId);
        throw error;
      }
      this.#ids.add(botId);
    });
  }

  /** Mounts the bot's image unless it is mounted. */
  mount(botId: string): Promise<void> {
    return this.#lock.run(botId, () => this.#mountUnlessThere(botId));
  }

  /**
   * Resizes the image to its bot's limit, and repairs it when it became read-only. Both need an
   * unmounted file system, except for a smaller limit: call while nothing of the bot runs. While
   * the home is in use, it stays as it is until the next call.
   */
  fit(botId: string, size: ImageSize): Promise<void> {
    return this.#lock.run(botId, async () => {
      await this.#mountUnlessThere(botId);
      if (!(await this.#isWritable(botId))) await this.#unmounted(botId, (image) => repair(image, { force: true }));
      if ((await this.#limitBytes(botId)) === size.limitBytes) return;
      const image = this.#image(botId);
      const bytes = imageBytes(size);
      if ((await stat(image)).size < bytes)
        await this.#unmounted(botId, async () => {
          await truncate(image, bytes);
          await growFileSystem(image);
        });
      await reserve(image, this.#at(botId), size.limitBytes);
    });
  }

  /** Deletes the bot's image; a missing one is fine. Rejects while files in it are open. */
  remove(botId: string): Promise<void> {
    return this.#lock.run(botId, async () => {
      if (await this.#isMounted(botId)) await unmount(this.#at(botId));
      if (await this.#isMounted(botId)) throw new Error('A home is mounted more than once');
      await rm(this.#image(botId), { force: true });
      // Not empty only where a copy of a data folder was unpacked.
      await rm(this.#at(botId), { recursive: true, force: true });
      this.#ids.delete(botId);
    });
  }

  /** Space used in the image, staging included. */
  async use(botId: string): Promise<Counted> {
    await this.mount(botId);
    const { blocks, bfree, bsize, files, ffree } = await statfs(this.#at(botId));
    return { bytes: (blocks - bfree) * bsize, files: Math.max(0, files - ffree - ownFiles), complete: true };
  }

  /** Runs `work` for each bot; resolves to the errors. */
  async #each(botIds: readonly string[], work: (botId: string) => Promise<void>): Promise<unknown[]> {
    const turns = new Semaphore(atOnce);
    const done = await Promise.allSettled(botIds.map((botId) => turns.run(() => work(botId))));
    return done.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  }

  async #mountUnlessThere(botId: string): Promise<void> {
    if (!(await this.#isMounted(botId))) await this.#mountFile(botId, this.#image(botId));
  }

  async #mountFile(botId: string, image: string): Promise<void> {
    const at = this.#at(botId);
    await mkdir(at, { mode: 0o711 }).catch(unlessThere);
    await mountImage(image, at);
    await chmod(at, 0o711);
  }

  async #isMounted(botId: string): Promise<boolean> {
    const [here, above] = await Promise.all([stat(this.#at(botId)).catch(unlessGone), stat(this.#homes)]);
    return here !== null && here.dev !== above.dev;
  }

  /** False after a journal write failed (full machine), until the file system is repaired. */
  async #isWritable(botId: string): Promise<boolean> {
    const now = new Date();
    try {
      await utimes(this.#at(botId), now, now);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EROFS') return false;
      throw error;
    }
  }

  /** Runs `work` while the image is unmounted; skips it when the image is in use. */
  async #unmounted(botId: string, work: (image: string) => Promise<void>): Promise<void> {
    const image = this.#image(botId);
    try {
      await unmount(this.#at(botId));
    } catch {
      return;
    }
    try {
      // Mounted elsewhere too, such as in a container: its file system must not be touched then.
      if (await isAttached(image)) return;
      await work(image);
    } finally {
      await this.#mountFile(botId, image);
    }
  }

  /** Total bytes that users other than root may take. */
  async #limitBytes(botId: string): Promise<number> {
    const { blocks, bfree, bavail } = await statfs(this.#at(botId));
    return (bavail + (blocks - bfree)) * blockBytes;
  }

  /** Removes an incomplete image. */
  async #discard(botId: string): Promise<void> {
    if (await this.#isMounted(botId)) await unmount(this.#at(botId));
    await rmdir(this.#at(botId)).catch(unlessGone);
    await rm(this.#image(botId, unfinished), { force: true });
  }

  #at(botId: string): string {
    return join(this.#homes, botId);
  }

  #image(botId: string, end = ending): string {
    return join(this.#images, botId + end);
  }
}

async function makeSparse(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'w', 0o600);
  await file.truncate(bytes);
}

async function sync(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
