// Packs files into one zip without compressing them: so that a folder is one request, all or nothing. Reads them piece by
// piece.
import { Zip, ZipPassThrough } from 'fflate';
import type { DroppedFile } from './drop-filter.ts';

/** Resolves with the zip; rejects when a file can't be read. */
export async function zipFiles(files: readonly DroppedFile[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const done = Promise.withResolvers<void>();
  const zip = new Zip((error, part, isLast) => {
    if (error) done.reject(error);
    parts.push(part as Uint8Array<ArrayBuffer>);
    if (isLast) done.resolve();
  });
  for (const { path, file } of files) {
    const entry = new ZipPassThrough(path);
    entry.mtime = file.lastModified;
    zip.add(entry);
    const reader = file.stream().getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) entry.push(read.value);
    entry.push(new Uint8Array(0), true);
  }
  zip.end();
  await done.promise;
  return new Blob(parts, { type: 'application/zip' });
}
