// Looks at a bot's project for its build: names in its root, its package.json, and one fingerprint over the files that
// a build depends on. Must not know what a build is.
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { errnoOf } from './file-errors.ts';
import type { Homes } from './homes.ts';
import { scanTree } from './tree-scan.ts';
import { namesIn, openFile, openRoot } from './walk.ts';

const rootNamesMax = 10_000;
const entriesMax = 100_000;
const packageJsonBytesMax = 1024 * 1024;
const readBytes = 64 * 1024;

/** Which files a fingerprint covers. */
export interface Covered {
  /** Names in the root of the home; missing ones count as missing. */
  inputs: readonly string[];
  /** Ending of the names of sources anywhere below it; null = none. */
  sources: string | null;
  /** Names of folders that are not looked into. */
  skip: ReadonlySet<string>;
}

export class Projects {
  readonly #homes: Pick<Homes, 'path'>;

  constructor(homes: Pick<Homes, 'path'>) {
    this.#homes = homes;
  }

  /** Names in the root of the home and the text of package.json, null when there is none that can be read. */
  async look(botId: string): Promise<{ names: Set<string>; packageJson: string | null }> {
    await using home = await this.#open(botId);
    const names = new Set<string>();
    if (!home) return { names, packageJson: null };
    for await (const name of namesIn(home)) {
      names.add(name.toString());
      if (names.size >= rootNamesMax) break;
    }
    return { names, packageJson: names.has('package.json') ? await readText(home, 'package.json') : null };
  }

  /** The text of a file in the root of the home; null when there is none of at most `bytesMax` bytes that can be read. */
  async text(botId: string, name: string, bytesMax: number): Promise<string | null> {
    await using home = await this.#open(botId);
    return home && readText(home, name, bytesMax);
  }

  /** SHA-256 (hex) over names and contents of the covered files. */
  async fingerprint(botId: string, { inputs, sources, skip }: Covered): Promise<string> {
    const whole = createHash('sha256');
    await using home = await this.#open(botId);
    if (!home) return whole.digest('hex');
    for (const name of [...inputs].sort()) whole.update(`${name}\0${await digest(home, name)}\n`);
    if (sources === null) return whole.digest('hex');
    const found: string[] = [];
    const enter = (name: Buffer) => !skip.has(name.toString());
    for await (const { name, path, folder, stats } of scanTree(home, { entries: entriesMax, enter })) {
      if (!stats.isFile() || !name.toString().endsWith(sources)) continue;
      found.push(
        `${Buffer.concat(path.map((part) => Buffer.concat([Buffer.from('/'), part]))).toString('latin1')}\0${await digest(folder, name)}`,
      );
    }
    return whole.update(found.sort().join('\n')).digest('hex');
  }

  async #open(botId: string): Promise<FileHandle | null> {
    try {
      return await openRoot(this.#homes.path(botId));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
  }
}

async function readText(folder: FileHandle, name: string, bytesMax = packageJsonBytesMax): Promise<string | null> {
  const file = await openFile(folder, name).catch(() => null);
  if (!file) return null;
  await using handle = file.handle;
  if (file.stats.size > bytesMax) return null;
  // No further than it was long: it may grow meanwhile.
  const bytes = Buffer.alloc(Number(file.stats.size));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.toString('utf8', 0, length);
}

/** SHA-256 (hex) of a regular file; '-' when there is none. */
async function digest(folder: FileHandle, name: string | Buffer): Promise<string> {
  const file = await openFile(folder, name).catch(() => null);
  if (!file) return '-';
  await using handle = file.handle;
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(readBytes);
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, readBytes, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}
