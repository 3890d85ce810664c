// Reads dropped or chosen files with their paths; walks folders, except those that are skipped
// anyway.
import { type Drop, type DroppedFile, filterDrop, skippedFor } from './drop-filter.ts';

/** More would freeze the page. */
const maxFiles = 20_000;
/** Total folders read only to count skipped files: each takes about a millisecond. */
const maxCounted = 1500;

/**
 * Must be called while the drop event is handled: its items are gone afterwards. Rejects if there
 * are too many files.
 */
export function readDrop(items: DataTransferItemList): Promise<Drop> {
  const entries: FileSystemEntry[] = [];
  const files: DroppedFile[] = [];
  for (const item of Array.from(items)) {
    const entry = item.webkitGetAsEntry();
    // Items that aren't from a disk are plain files.
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    else if (file) files.push({ path: file.name, file });
  }
  return walk(entries, files);
}

async function walk(entries: FileSystemEntry[], loose: DroppedFile[]): Promise<Drop> {
  const files = [...loose];
  const skipped = new Map<string, number>();
  const left = [...entries];
  const budget = { folders: maxCounted };
  for (let entry = left.pop(); entry; entry = left.pop()) {
    const path = entry.fullPath.replace(/^\//, '');
    if (isFile(entry)) files.push({ path, file: await fileOf(entry) });
    else if (isDirectory(entry)) {
      const why = skippedFor(path, 'directory');
      if (why === null) left.push(...(await childrenOf(entry)));
      else skipped.set(why, (skipped.get(why) ?? 0) + (await countIn(entry, budget)));
    }
    if (files.length > maxFiles) throw new TooManyFiles();
  }
  const drop = filterDrop(files.toSorted((one, other) => (one.path < other.path ? -1 : 1)));
  for (const [name, count] of drop.skipped) skipped.set(name, (skipped.get(name) ?? 0) + count);
  return { files: drop.files, skipped };
}

/** Files of a dialog; with their folders where a folder was chosen. */
export function readChosen(files: FileList): Drop {
  const drop = filterDrop(Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file })));
  if (drop.files.length > maxFiles) throw new TooManyFiles();
  return drop;
}

export class TooManyFiles extends Error {
  readonly max = maxFiles;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Number of files in a skipped folder; Infinity if the folder budget runs out. */
async function countIn(folder: FileSystemDirectoryEntry, budget: { folders: number }): Promise<number> {
  let count = 0;
  const left = [folder];
  for (let next = left.pop(); next; next = left.pop()) {
    if (budget.folders-- <= 0) return Number.POSITIVE_INFINITY;
    for (const entry of await childrenOf(next)) {
      if (isDirectory(entry)) left.push(entry);
      else count++;
    }
  }
  return count;
}

/** Browsers return entries in batches until one is empty. */
async function childrenOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return children;
    children.push(...portion);
  }
}
