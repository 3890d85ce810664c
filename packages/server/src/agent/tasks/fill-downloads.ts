// Prefetches public npm packages for future builds: for each bot that was built, the packages of
// its lock file, bot by bot in turn and a bounded number at a time. Takes names and hashes from
// bots, never bytes.
import type { TarballCache } from '../builds/tarball-cache.ts';
import { type Platform, type Tarball, tarballsOf } from '../../core/domain/npm-lock.ts';
import { mebibyte } from '../../core/domain/quota.ts';
import type { Projects } from '../builds/projects.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Task } from './driver.ts';

const everyMs = 10_000;
/** In npm's order of precedence. */
const lockNames = ['npm-shrinkwrap.json', 'package-lock.json'];
const lockBytesMax = 4 * mebibyte;
/** Bounds of one run. */
const locksPerRun = 20;
const tarballsPerRun = 50;
const bytesPerRun = 200 * mebibyte;
const atOnce = 4;
/** No more lock files are read while this many packages are pending. */
const waitingMax = 10_000;
/** Free space that packages never use. */
const freeBytesMin = 1024 * mebibyte;

type Cache = Pick<TarballCache, 'has' | 'use' | 'fetch' | 'freeBytes'>;

interface Deps {
  /** Called at the first run, because it scans every file. */
  openCache(): Promise<Cache>;
  projects: Pick<Projects, 'text'>;
  bots: Pick<BotReader, 'built'>;
  /** URL of the registry, as in lock files. */
  registry: string;
  platform: Platform;
  /** Reports the counts of a run that did something. */
  report(counts: Counts): void;
}

/** Numbers of packages; `skipped` ones were cached already. */
export interface Counts {
  stored: number;
  refused: number;
  unreachable: number;
  skipped: number;
}

export function fillDownloads(deps: Deps): Task {
  const filler = new Filler(deps);
  return { name: 'fill-downloads', everyMs, run: (signal = new AbortController().signal) => filler.run(signal) };
}

class Filler {
  readonly #deps: Deps;
  /** The build of each bot whose lock file was read, by its key. */
  readonly #read = new Map<string, string>();
  /** Packages to fetch, by bot. */
  readonly #waiting = new Map<string, Tarball[]>();
  #cache: Cache | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#cache ??= await this.#deps.openCache();
    await this.#readLocks(this.#cache);
    if (this.#waiting.size === 0 || (await this.#cache.freeBytes()) < freeBytesMin) return;
    this.#deps.report(await this.#fetchSome(this.#cache, signal));
  }

  async #readLocks(cache: Cache): Promise<void> {
    const built = await this.#deps.bots.built('nodejs');
    const ids = new Set(built.map(({ id }) => id));
    for (const known of [this.#read, this.#waiting]) for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    const fresh = built.filter(({ id, buildKey }) => this.#read.get(id) !== buildKey);
    for (const { id, buildKey } of fresh.slice(0, locksPerRun)) {
      if ([...this.#waiting.values()].flat().length >= waitingMax) return;
      this.#read.set(id, buildKey);
      const missing = await this.#missing(cache, id);
      if (missing.length > 0) this.#waiting.set(id, missing);
    }
  }

  /** The packages of the bot's lock file that are not cached; cached ones are marked as used. */
  async #missing(cache: Cache, botId: string): Promise<Tarball[]> {
    const { projects, registry, platform } = this.#deps;
    for (const name of lockNames) {
      const lock = await projects.text(botId, name, lockBytesMax);
      if (lock === null) continue;
      const tarballs = tarballsOf(lock, registry, platform);
      for (const { digest } of tarballs) await cache.use(digest);
      return tarballs.filter(({ digest }) => !cache.has(digest));
    }
    return [];
  }

  async #fetchSome(cache: Cache, signal: AbortSignal): Promise<Counts> {
    const counts: Counts = { stored: 0, refused: 0, unreachable: 0, skipped: 0 };
    let bytes = 0;
    for (let count = 0; count < tarballsPerRun && bytes < bytesPerRun; count += atOnce) {
      const next = this.#take(atOnce);
      if (next.length === 0) break;
      const wanted = next.filter(({ digest }) => !cache.has(digest));
      counts.skipped += next.length - wanted.length;
      for (const outcome of await Promise.all(wanted.map((tarball) => cache.fetch(tarball, signal)))) {
        counts[outcome.kind]++;
        if (outcome.kind === 'stored') bytes += outcome.bytes;
      }
      // Pending packages can wait. Dropped ones are requested again after the next build.
      if (counts.unreachable > 0) break;
    }
    return counts;
  }

  /** Takes distinct packages off the lists, one of each bot in turn. */
  #take(count: number): Tarball[] {
    const taken = new Map<string, Tarball>();
    while (taken.size < count) {
      const [first] = this.#waiting;
      if (!first) break;
      const [botId, tarballs] = first;
      const tarball = tarballs.shift();
      if (tarball) taken.set(tarball.digest, tarball);
      // Moves the bot to the end of the queue.
      this.#waiting.delete(botId);
      if (tarballs.length > 0) this.#waiting.set(botId, tarballs);
    }
    return [...taken.values()];
  }
}
