// Packs files into one zip without compression, so that a folder is one atomic request. Reads them
// in pieces.
import { Zip, ZipPassThrough } from 'fflate';
import type { DroppedFile } from './drop-filter.ts';

/** The earliest time a zip can store; some build tools set 1970. */
const earliest = Date.UTC(1981, 0);

export interface Packing {
  /** Progress, 0 to 1. */
  onProgress?: (part: number) => void;
  signal?: AbortSignal;
}

/** Resolves with the zip; rejects when a file can't be read, or on abort. */
export async function zipFiles(files: readonly DroppedFile[], { onProgress, signal }: Packing = {}): Promise<Blob> {
  const all = files.reduce((sum, { file }) => sum + file.size, 0);
  let packed = 0;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const done = Promise.withResolvers<void>();
  const zip = new Zip((error, part, isLast) => {
    if (error) done.reject(error);
    parts.push(part as Uint8Array<ArrayBuffer>);
    if (isLast) done.resolve();
  });
  for (const { path, file } of files) {
    const entry = new ZipPassThrough(path);
    entry.mtime = Math.max(file.lastModified, earliest);
    zip.add(entry);
    const reader = file.stream().getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      signal?.throwIfAborted();
      entry.push(read.value);
      packed += read.value.length;
      onProgress?.(packed / all);
    }
    entry.push(new Uint8Array(0), true);
  }
  zip.end();
  await done.promise;
  return new Blob(parts, { type: 'application/zip' });
}
