// Reads what was dropped on the page or chosen in a dialog: files with their paths, folders walked to the end, but for those
// that are left out anyway.
import { type Drop, type DroppedFile, filterDrop, skippedFor } from './drop-filter.ts';

/** More are no project, and would stop the page. */
const maxFiles = 20_000;
/** Folders that are read only to count what is left out, in all: each takes about a millisecond. */
const maxCounted = 1500;

/** Must be called while the event of the drop is handled: its items are gone afterwards. Rejects when there are too many files. */
export function readDrop(items: DataTransferItemList): Promise<Drop> {
  const entries: FileSystemEntry[] = [];
  const files: DroppedFile[] = [];
  for (const item of Array.from(items)) {
    const entry = item.webkitGetAsEntry();
    // What does not come from a disk is a file without a folder.
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

/** How many files are in a folder that is left out; Infinity when there are more folders in it than the budget allows. */
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

/** Browsers give them in portions, until one is empty. */
async function childrenOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return children;
    children.push(...portion);
  }
}
