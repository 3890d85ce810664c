// Unpacks an archive, or the files of a form, into staging, within the bounds for uploads. An
// archive is refused as a whole; merge.ts moves accepted ones into the home.
import { type FileHandle, lchown, link, symlink } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ArchiveFormat } from '@botel/contract/vocabulary';
import type { SentFile } from '../../core/lib/sent-file.ts';
import { type BotelError, fail } from '../../core/domain/errors.ts';
import { type ArchiveEntry, toArchiveError } from './archive-entry.ts';
import { type ByteLimit, limited } from './file-content.ts';
import { errnoOf } from './file-errors.ts';
import { NewFiles } from './new-files.ts';
import { canGiveAway, chownFile } from './ownership.ts';
import { isInnerTarget, splitArchiveName } from './safe-path.ts';
import { tarEntries } from './tar-entries.ts';
import type { Work } from '../work/owner-work.ts';
import { createFile, entryPath, entryStats, makeFolder, openFolder } from './walk.ts';
import { zipEntries } from './zip-entries.ts';

export interface ArchiveBounds {
  /** Entries, including the folders implied by their children's names. */
  entries: number;
  depth: number;
  /** Sum of all names and link targets. */
  nameBytes: number;
}

export const archiveBounds: ArchiveBounds = {
  entries: 100_000,
  depth: 64,
  nameBytes: 32 * 1024 * 1024,
};

/** Allowance for the headers and the padding of a tar entry, besides its content. */
const headerBytesMax = 4096;
const gunzipBytes = 64 * 1024;

export interface UnpackOptions {
  /** Owner of all entries. */
  uid: number;
  /** Final location of the tree, as parts from the home: links are checked against it. */
  base: readonly string[];
  /** Limit for all files together. */
  limit: ByteLimit;
  bounds: ArchiveBounds;
  work: Work;
}

export interface Unpacked {
  /** Files and links. */
  files: number;
  bytes: number;
}

/** A zip file must be on the disk: its directory is at the end. Others are read as they arrive. */
export type ArchiveSource =
  | { format: 'zip'; path: string }
  | { format: Exclude<ArchiveFormat, 'zip'>; bytes: AsyncIterable<Buffer> };

/**
 * Unpacks an archive into the empty folder `tree`. Rejects with 400 `archive …` when it is damaged
 * or breaks a rule, with the system's error when this machine fails; `tree` may then hold a part.
 */
export async function unpack(archive: ArchiveSource, tree: FileHandle, options: UnpackOptions): Promise<Unpacked> {
  try {
    return await addEntries(entriesOf(archive, options), new Unpacking(tree, options, 'archive'));
  } catch (error) {
    throw toArchiveError(error);
  }
}

/** Like unpack, for files sent as they are; breaking a rule is 400 `upload …`. */
export async function unpackFiles(
  files: AsyncIterable<SentFile>,
  tree: FileHandle,
  options: UnpackOptions,
): Promise<Unpacked> {
  const total = await addEntries(entriesOfFiles(files), new Unpacking(tree, options, 'upload'));
  if (total.files === 0) throw fail.invalidInput('upload', 'holds no files');
  return total;
}

async function* entriesOfFiles(files: AsyncIterable<SentFile>): AsyncGenerator<ArchiveEntry> {
  for await (const { name, content } of files) {
    yield { name, kind: 'file', size: 0, mode: null, modifiedAt: null, target: '', content: () => content };
  }
}

async function addEntries(entries: AsyncIterable<ArchiveEntry>, unpacking: Unpacking): Promise<Unpacked> {
  try {
    for await (const entry of entries) await unpacking.add(entry);
    await unpacking.finish();
    return unpacking.total;
  } finally {
    await unpacking.close();
  }
}

function entriesOf(archive: ArchiveSource, { limit, bounds }: UnpackOptions): AsyncGenerator<ArchiveEntry> {
  if (archive.format === 'zip') return zipEntries(archive.path, bounds.entries);
  // Headers and padding count on top of the limit of the files; beyond that it is a bomb.
  const bound = { ...limit, bytes: limit.bytes + bounds.entries * headerBytesMax };
  if (archive.format === 'tar') return tarEntries(limited(archive.bytes, bound));
  // The reader gets failures from the last stream; nothing is left to do here.
  const unpacked = pipeline(Readable.from(archive.bytes), createGunzip({ chunkSize: gunzipBytes }), () => undefined);
  return tarEntries(limited(unpacked, bound));
}

interface PendingLink {
  parts: string[];
  target: string;
}

/** Unpacks into a folder. Links are created last, so that nothing is written through one. */
class Unpacking {
  readonly total: Unpacked = { files: 0, bytes: 0 };
  readonly #tree: FileHandle;
  readonly #options: UnpackOptions;
  readonly #bounds: ArchiveBounds;
  readonly #field: 'archive' | 'upload';
  readonly #links: PendingLink[] = [];
  readonly #hardLinks: PendingLink[] = [];
  readonly #files = new NewFiles();
  #entries = 0;
  /** Sum of the declared sizes, of skipped entries too. */
  #declaredBytes = 0;
  #nameBytes = 0;
  /** The folder of the previous entry: archives list a folder's files one after the other. */
  #open: { path: string; folder: FileHandle } | null = null;

  /** `field` is the input field named in errors. */
  constructor(tree: FileHandle, options: UnpackOptions, field: 'archive' | 'upload') {
    this.#field = field;
    this.#tree = tree;
    this.#options = options;
    this.#bounds = options.bounds;
  }

  async add(entry: ArchiveEntry): Promise<void> {
    this.#count(Buffer.byteLength(entry.name) + Buffer.byteLength(entry.target));
    // Before anything is read: a hole in the archive may declare terabytes.
    this.#declaredBytes += Math.max(0, entry.size);
    if (this.#declaredBytes > this.#options.limit.bytes) throw this.#options.limit.error();
    const parts = splitArchiveName(entry.name);
    if (!parts) throw this.#fault('holds a name that is not valid');
    if (parts.length > this.#bounds.depth) throw this.#fault(`is nested more than ${this.#bounds.depth} deep`);
    if (entry.kind === 'folder') return this.#addFolder(parts, entry);
    if (parts.length === 0) throw this.#fault('holds a name that is not valid');
    if (entry.kind === 'file') return this.#addFile(parts, entry);
    if (entry.kind === 'link') return this.#addLink(parts, entry.target);
    if (entry.kind === 'hard-link') return this.#addHardLink(parts, entry.target);
    throw this.#fault('holds a device, pipe or socket');
  }

  /** Completes the files and creates the links. */
  async finish(): Promise<void> {
    await this.#files.finish();
    for (const { parts, target } of this.#hardLinks) {
      const from = splitArchiveName(target) ?? [];
      await using source = await this.#existing(from.slice(0, -1));
      const name = from.at(-1) ?? '';
      if (!source || !(await entryStats(source, name))?.isFile())
        throw this.#fault('holds a hard link to no file of its own');
      await this.#make(parts, (folder, place) => link(entryPath(source, name), entryPath(folder, place)));
    }
    for (const { parts, target } of this.#links) {
      await this.#make(parts, async (folder, name) => {
        await symlink(target, entryPath(folder, name));
        if (canGiveAway) await lchown(entryPath(folder, name), this.#options.uid, this.#options.uid);
      });
    }
  }

  async close(): Promise<void> {
    await this.#files[Symbol.asyncDispose]();
    await this.#leaveFolder();
  }

  async #leaveFolder(): Promise<void> {
    await this.#open?.folder.close();
    this.#open = null;
  }

  async #addFolder(parts: string[], entry: ArchiveEntry): Promise<void> {
    const folder = await this.#folder(parts);
    // The owner must be able to use it, whatever mode the archive gives.
    if (parts.length > 0 && entry.mode !== null) chownFile(folder, this.#options.uid, entry.mode | 0o700);
  }

  async #addFile(parts: string[], entry: ArchiveEntry): Promise<void> {
    const file = await this.#make(parts, createFile);
    const modified = entry.modifiedAt?.getTime() ?? Number.NaN;
    const modifiedAt = modified >= 0 && modified < 2 ** 42 ? entry.modifiedAt : null;
    const facts = { uid: this.#options.uid, mode: entry.mode || 0o644, modifiedAt };
    await this.#files.add(file, facts, this.#counted(entry.content()));
  }

  #addLink(parts: string[], target: string): void {
    if (!isInnerTarget([...this.#options.base, ...parts], target)) {
      throw this.#fault('holds a link that leads out of the folder');
    }
    this.#links.push({ parts, target });
  }

  #addHardLink(parts: string[], target: string): void {
    if (!splitArchiveName(target)?.length) throw this.#fault('holds a hard link to no file of its own');
    this.#hardLinks.push({ parts, target });
  }

  /** Creates one file or link at `parts`. */
  async #make<T>(parts: string[], make: (folder: FileHandle, name: string) => Promise<T>): Promise<T> {
    const folder = await this.#folder(parts.slice(0, -1));
    this.total.files++;
    try {
      return await make(folder, parts.at(-1) ?? '');
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw this.#fault('holds two entries of the same name');
      throw error;
    }
  }

  /** The folder at `parts`, created when missing; it stays open until another one is requested. */
  async #folder(parts: string[]): Promise<FileHandle> {
    const path = parts.join('/');
    if (this.#open?.path === path) return this.#open.folder;
    await this.#leaveFolder();
    const folder = (await this.#existing(parts)) ?? (await this.#makeFolders(parts));
    this.#open = { path, folder };
    return folder;
  }

  async #makeFolders(parts: string[]): Promise<FileHandle> {
    let folder = await openFolder(this.#tree, []);
    try {
      for (const part of parts) {
        if (!(await entryStats(folder, part))) this.#count(0);
        const next = await makeFolder(folder, part, { uid: this.#options.uid, mode: 0o755 });
        await folder.close();
        folder = next;
      }
      return folder;
    } catch (error) {
      await folder.close();
      if (errnoOf(error) === 'ENOTDIR') throw this.#fault('holds a file where it also holds a folder');
      throw error;
    }
  }

  async #existing(parts: string[]): Promise<FileHandle | null> {
    try {
      return await openFolder(this.#tree, parts);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
      throw error;
    }
  }

  #count(nameBytes: number): void {
    this.#options.work.signal.throwIfAborted();
    if (++this.#entries > this.#bounds.entries) throw this.#fault(`holds more than ${this.#bounds.entries} entries`);
    this.#nameBytes += nameBytes;
    if (this.#nameBytes > this.#bounds.nameBytes) throw this.#fault('holds names that are too long');
  }

  #fault(fault: string): BotelError {
    return fail.invalidInput(this.#field, fault);
  }

  /** Counts real bytes: sizes declared by an archive are untrusted. */
  async *#counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.total.bytes += chunk.length;
      if (this.total.bytes > this.#options.limit.bytes) throw this.#options.limit.error();
      this.#options.work.write(chunk.length);
      yield chunk;
    }
  }
}
