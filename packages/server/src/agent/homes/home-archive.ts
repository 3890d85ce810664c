// The content of a backup: a tar.gz of `settings.json` and, below `files/`, the home with its links
// unchanged. Names that are not UTF-8, sockets, pipes and devices are left out. Reading has its own
// bounds: it only reads what this file wrote.
import type { BigIntStats } from 'node:fs';
import { type FileHandle, lchown, link, symlink } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { type ArchiveEntry, archiveFault, toArchiveError, utf8Text } from './archive-entry.ts';
import { BoundedBytes, type ByteLimit, countedBytes } from './file-content.ts';
import { unlessGone } from './file-errors.ts';
import { NewFiles } from './new-files.ts';
import { canGiveAway } from './ownership.ts';
import { RecentFolder } from './recent-folder.ts';
import { tarEntries } from './tar-entries.ts';
import { tarOf, type TarEntry } from './tar-writer.ts';
import type { Work } from '../work/owner-work.ts';
import { countedFiles, entriesBelow, noBytes } from './tree-source.ts';
import { createFile, entryPath, entryStats, makeFolder, openFolder } from './walk.ts';

const settingsName = 'settings.json';
const filesName = 'files';
const settingsBytesMax = 1024 * 1024;
/** Names that are kept to write further hard links as links. */
const linkNameBytesMax = 32 * 1024 * 1024;
/** Backups are made while bots run: speed matters more than the last percent of space. */
const gzipLevel = 3;
/** The default of 16 KB would take four times as many turns of the event loop. */
const chunkBytes = 64 * 1024;

/** The bytes of a backup of the open folder `home`, which must stay open until they end. */
export function packHome(home: FileHandle, settings: string, work: Work): AsyncIterable<Buffer> {
  // The reader gets failures from the last stream; nothing is left to do here.
  return pipeline(
    tarOf(countedFiles(entriesOf(home, settings, work), work)),
    createGzip({ level: gzipLevel, chunkSize: chunkBytes }),
    () => undefined,
  );
}

async function* entriesOf(home: FileHandle, settings: string, work: Work): AsyncGenerator<TarEntry> {
  const links = new HardLinks();
  const stats = await home.stat({ bigint: true });
  yield settingsEntry(Buffer.from(settings), stats.mtime);
  yield { name: filesName, kind: 'folder', stats, target: '', content: noBytes };
  for await (const entry of entriesBelow(home, work, [Buffer.from(filesName)])) {
    const name = utf8Text(Buffer.concat(entry.path.flatMap((part) => [Buffer.from('/'), part])).subarray(1));
    const target = utf8Text(entry.target);
    if (name === null || target === null) continue;
    const first = entry.kind === 'file' ? links.firstOf(entry.stats, name) : null;
    yield first === null ? { ...entry, name, target } : { ...entry, kind: 'hard-link', name, target: first };
  }
}

/** The first name of each file with several. A file that replaced one is another, whatever its
 * inode: births differ. */
class HardLinks {
  readonly #names = new Map<string, string>();
  #nameBytes = 0;

  /** The name under which the file was packed already; null: pack it. */
  firstOf({ nlink, dev, ino, birthtimeNs }: BigIntStats, name: string): string | null {
    if (nlink < 2n) return null;
    const file = `${dev} ${ino} ${birthtimeNs}`;
    const first = this.#names.get(file);
    if (first !== undefined) return first;
    this.#nameBytes += name.length;
    if (this.#nameBytes <= linkNameBytesMax) this.#names.set(file, name);
    return null;
  }
}

function settingsEntry(bytes: Buffer, mtime: Date): TarEntry {
  async function* content() {
    yield bytes;
  }
  const stats = { size: BigInt(bytes.length), mode: 0o600n, mtime };
  return { name: settingsName, kind: 'file', stats, target: '', content };
}

/** The settings of a backup; reads no further than them. Rejects when it is damaged. */
export async function settingsOf(backup: Readable): Promise<string> {
  try {
    for await (const entry of tarEntries(unpacked(backup))) {
      if (entry.name === settingsName) return await readText(entry);
    }
  } catch (error) {
    throw toArchiveError(error);
  } finally {
    backup.destroy();
  }
  throw archiveFault('holds no settings');
}

/**
 * Unpacks a backup into the empty folder `home`, for the user `uid`, and resolves to its settings.
 * `limit` bounds all files together. Rejects when the backup is damaged; `home` may then hold a
 * part.
 */
export async function unpackHome(
  backup: Readable,
  home: FileHandle,
  owner: { uid: number; limit: ByteLimit; work: Work },
): Promise<string> {
  await using unpacking = new HomeUnpacking(home, owner);
  try {
    for await (const entry of tarEntries(unpacked(backup))) await unpacking.add(entry);
    await unpacking.files.finish();
  } catch (error) {
    throw toArchiveError(error);
  }
  if (unpacking.settings === null) throw archiveFault('holds no settings');
  return unpacking.settings;
}

function unpacked(backup: Readable): AsyncIterable<Buffer> {
  // The reader gets failures from the last stream; nothing is left to do here.
  return pipeline(backup, createGunzip({ chunkSize: chunkBytes }), () => undefined);
}

class HomeUnpacking implements AsyncDisposable {
  settings: string | null = null;
  readonly files = new NewFiles();
  readonly #root: FileHandle;
  readonly #home: RecentFolder;
  readonly #uid: number;
  readonly #bytes: BoundedBytes;
  readonly #work: Work;

  constructor(home: FileHandle, { uid, limit, work }: { uid: number; limit: ByteLimit; work: Work }) {
    this.#root = home;
    this.#work = work;
    this.#home = new RecentFolder(home);
    this.#uid = uid;
    this.#bytes = new BoundedBytes(limit);
  }

  async add(entry: ArchiveEntry): Promise<void> {
    this.#work.entry();
    if (entry.name === settingsName) {
      this.settings = await readText(entry);
      return;
    }
    const parts = partsOf(entry.name.replace(/\/$/, ''));
    const name = parts.at(-1);
    if (name === undefined) return;
    const folder = await this.#home.open(parts.slice(0, -1));
    if (entry.kind === 'folder') {
      // The owner must be able to use it, and so must this process when it is not root.
      const mode = (entry.mode ?? 0o755) | 0o700;
      await using _ = await makeFolder(folder, name, { uid: this.#uid, mode });
    } else if (entry.kind === 'link') {
      await symlink(entry.target, entryPath(folder, name));
      if (canGiveAway) await lchown(entryPath(folder, name), this.#uid, this.#uid);
    } else if (entry.kind === 'file') await this.#addFile(folder, name, entry);
    else if (entry.kind === 'hard-link') await this.#addHardLink(folder, name, entry.target);
    else throw archiveFault('is no backup');
  }

  /** To an earlier file of the same backup: nothing else is in the tree. */
  async #addHardLink(folder: FileHandle, name: string, target: string): Promise<void> {
    const from = partsOf(target);
    const first = from.at(-1) ?? '';
    await using source = await openFolder(this.#root, from.slice(0, -1)).catch(unlessGone);
    if (!source || !(await entryStats(source, first))?.isFile()) throw archiveFault('is no backup');
    await link(entryPath(source, first), entryPath(folder, name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.files[Symbol.asyncDispose]();
    await this.#home.forget();
  }

  async #addFile(folder: FileHandle, name: string, entry: ArchiveEntry): Promise<void> {
    const file = await createFile(folder, name);
    // Builds compare modification times.
    const facts = { uid: this.#uid, mode: entry.mode ?? 0o644, modifiedAt: entry.modifiedAt ?? new Date(0) };
    await this.files.add(
      file,
      facts,
      this.#bytes.count(countedBytes(entry.content(), (bytes) => this.#work.write(bytes))),
    );
  }
}

/** The parts of a name in a backup, from the home on. */
function partsOf(name: string): string[] {
  const [top, ...parts] = name.split('/');
  if (top !== filesName || parts.some((part) => ['', '.', '..'].includes(part))) throw archiveFault('is no backup');
  return parts;
}

async function readText(entry: ArchiveEntry): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of entry.content()) {
    bytes += chunk.length;
    if (bytes > settingsBytesMax) throw archiveFault('holds settings that are too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
