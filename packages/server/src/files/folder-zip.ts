// Streams a folder as a zip file while it is read. Links and special files are left out, as are names that a zip file
// can't carry (backslashes, bytes that are not UTF-8). Must not hold file contents.
import type { FileHandle } from 'node:fs/promises';
import { addAbortSignal, PassThrough, type Readable } from 'node:stream';
import yazl from 'yazl';
import { streamOf } from './file-content.ts';
import { toFileError } from './file-errors.ts';
import { scanTree, type TreeEntry } from './tree-scan.ts';
import { openFile } from './walk.ts';

const entriesMax = 1_000_000;

/** The zip file of everything below `root`, which is closed with the stream. Ends with an error when the scan fails. */
export function zipFolder(root: FileHandle): Readable {
  const zip = new yazl.ZipFile();
  const output = new PassThrough();
  const gone = new AbortController();
  zip.on('error', (error) => output.destroy(error as Error));
  zip.outputStream.pipe(output);
  output.on('close', () => gone.abort());
  fill(zip, root, gone.signal).catch((error) => output.destroy(toFileError(error) as Error));
  return output;
}

async function fill(zip: yazl.ZipFile, root: FileHandle, signal: AbortSignal): Promise<void> {
  try {
    for await (const entry of scanTree(root, { entries: entriesMax, signal })) {
      const name = nameOf(entry);
      if (name === null) continue;
      const options = { mtime: entry.stats.mtime, mode: Number(entry.stats.mode & 0o100777n) };
      if (entry.stats.isDirectory()) zip.addEmptyDirectory(name, { ...options, mode: options.mode | 0o040000 });
      else if (entry.stats.isFile()) await addFile(zip, { entry, name, options, signal });
    }
    zip.end();
  } finally {
    await root.close();
  }
}

interface Addition {
  entry: TreeEntry;
  name: string;
  options: { mtime: Date; mode: number };
  signal: AbortSignal;
}

/** Adds one file and waits until it was read, so that one file is open at a time and names do not pile up. */
async function addFile(zip: yazl.ZipFile, addition: Addition): Promise<void> {
  const { entry, name, options, signal } = addition;
  const opened = await openFile(entry.folder, entry.name).catch(() => null);
  // It was replaced by something else since it was seen.
  if (!opened) return;
  const content = addAbortSignal(signal, streamOf(opened.handle, opened.stats));
  const closed = new Promise<void>((resolve, reject) => {
    content.on('close', () => (signal.aborted ? reject(signal.reason) : resolve()));
    content.on('error', reject);
  });
  zip.addReadStream(content, name, options);
  await closed;
}

function nameOf(entry: TreeEntry): string | null {
  const name = entry.path.map((part) => part.toString('utf8')).join('/');
  if (name.includes('\\') || name.includes('\uFFFD') || /^[A-Za-z]:/.test(name)) return null;
  return Buffer.byteLength(name) <= 0xffff ? name : null;
}
