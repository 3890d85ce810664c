// Public npm packages by hash, in the layout of npm's own cache and bounded in bytes; the least
// recently used goes first. Botel fetches every file itself and verifies its hash.
import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm, rmdir, stat, statfs, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Tarball } from '../../core/domain/npm-lock.ts';
import { mebibyte } from '../../core/domain/quota.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { Semaphore } from '../../core/lib/semaphore.ts';
import { unlessGone, unlessThere } from '../homes/file-errors.ts';
import { type NpmRegistry, RegistryError } from './npm-registry.ts';

const fileBytesMax = 50 * mebibyte;
const filesMax = 50_000;
const content = '_cacache/content-v2/sha512';

interface Options {
  /** The folder that builds see; the content is below it. */
  directory: string;
  /** Holds incomplete and unverified files, hidden from builds. On the same file system. */
  incoming: string;
  bytesMax: number;
  registry: Pick<NpmRegistry, 'read'>;
  clock: Clock;
}

/** `refused`: the registry lacks the file or serves another. `unreachable`: a retry may work. */
export type Outcome = { kind: 'stored'; bytes: number } | { kind: 'refused' } | { kind: 'unreachable' };

export class TarballCache {
  readonly #options: Options;
  /** Bytes by digest, least recently used first. */
  readonly #files = new Map<string, number>();
  #bytes = 0;
  /** Keeps a folder from being removed while a file is being moved into it. */
  readonly #moves = new Semaphore(1);

  private constructor(options: Options) {
    this.#options = options;
  }

  /** Scans the folder, removes what exceeds the limit, and clears incomplete files. */
  static async open(options: Options): Promise<TarballCache> {
    const cache = new TarballCache(options);
    await rm(options.incoming, { recursive: true, force: true });
    await mkdir(options.incoming, { recursive: true, mode: 0o700 });
    for (const folder of ['_cacache', '_cacache/content-v2', content])
      await makeFolder(join(options.directory, folder));
    await cache.#scan();
    await cache.#makeRoom(0);
    return cache;
  }

  has(digest: string): boolean {
    return this.#files.has(digest);
  }

  /** Marks a file as used now. */
  async use(digest: string): Promise<void> {
    const bytes = this.#files.get(digest);
    if (bytes === undefined) return;
    // An operator may remove files at any time.
    const seconds = this.#options.clock.now() / 1000;
    const isThere = await utimes(this.#path(digest), seconds, seconds).then(() => true, unlessGone);
    this.#files.delete(digest);
    if (isThere) this.#files.set(digest, bytes);
    else this.#bytes -= bytes;
  }

  /** Fetches a file and keeps it only when its hash is the expected one. */
  async fetch({ digest, path }: Tarball, signal: AbortSignal): Promise<Outcome> {
    const fresh = join(this.#options.incoming, randomUUID());
    try {
      const bytesMax = Math.min(fileBytesMax, this.#options.bytesMax);
      const written = await writeHashed(fresh, this.#options.registry.read(path, bytesMax, signal));
      if (written.digest !== digest) return { kind: 'refused' };
      await this.#moves.run(() => this.#moveIn(fresh, digest, written.bytes));
      return { kind: 'stored', bytes: written.bytes };
    } catch (error) {
      if (error instanceof RegistryError) return { kind: error.isFinal ? 'refused' : 'unreachable' };
      throw error;
    } finally {
      await rm(fresh, { force: true });
    }
  }

  /** Free space of the file system. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#options.incoming);
    return bavail * bsize;
  }

  async #moveIn(fresh: string, digest: string, bytes: number): Promise<void> {
    if (this.#files.has(digest)) return;
    await this.#makeRoom(bytes);
    const path = this.#path(digest);
    await this.#makeFolders(dirname(path));
    const seconds = this.#options.clock.now() / 1000;
    await utimes(fresh, seconds, seconds);
    await rename(fresh, path);
    this.#files.set(digest, bytes);
    this.#bytes += bytes;
  }

  async #makeFolders(path: string): Promise<void> {
    if (path === this.#options.directory) return;
    await this.#makeFolders(dirname(path));
    await makeFolder(path);
  }

  async #makeRoom(bytes: number): Promise<void> {
    const { bytesMax } = this.#options;
    for (const [digest, size] of this.#files) {
      if (this.#bytes + bytes <= bytesMax && this.#files.size < filesMax) return;
      await rm(this.#path(digest), { force: true });
      this.#files.delete(digest);
      this.#bytes -= size;
      await removeEmpty(dirname(this.#path(digest)));
    }
  }

  async #scan(): Promise<void> {
    const root = join(this.#options.directory, content);
    const found: { digest: string; bytes: number; usedAt: number }[] = [];
    for (const path of (await readdir(root, { recursive: true }).catch(unlessGone)) ?? []) {
      const digest = path.replaceAll('/', '');
      if (!/^[0-9a-f]{128}$/.test(digest)) continue;
      const { size, mtimeMs } = await stat(join(root, path));
      found.push({ digest, bytes: size, usedAt: mtimeMs });
    }
    for (const { digest, bytes } of found.sort((one, other) => one.usedAt - other.usedAt)) {
      this.#files.set(digest, bytes);
      this.#bytes += bytes;
    }
  }

  #path(digest: string): string {
    return join(this.#options.directory, content, digest.slice(0, 2), digest.slice(2, 4), digest.slice(4));
  }
}

/** Writes a new file (0444) and flushes it. */
async function writeHashed(path: string, chunks: AsyncIterable<Buffer>): Promise<{ digest: string; bytes: number }> {
  const hash = createHash('sha512');
  let bytes = 0;
  await using file = await open(path, 'wx');
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    await file.writeFile(chunk);
  }
  // Independent of the umask: bots read the file, and nobody writes it.
  await file.chmod(0o444);
  await file.sync();
  return { digest: hash.digest('hex'), bytes };
}

/** Creates a folder that builds can't list: they open files by hash and don't see others' files. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch(unlessThere);
  await chmod(path, 0o711);
}

async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error;
  });
}
