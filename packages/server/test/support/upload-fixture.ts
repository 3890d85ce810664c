// Uploads of made archives into a home, for the tests of this folder.
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { ArchiveFormat } from '@botel/contract/vocabulary';
import type { ArchiveBounds } from '../../src/agent/homes/archive.ts';
import { type MadeEntry, makeTar, makeTarGz, makeZip } from './archive-maker.ts';
import type { ByteLimit } from '../../src/agent/homes/file-content.ts';
import { limitOf, makeFiles } from './files-fixture.ts';

export const mebibyte = 1024 * 1024;
export const makers: Record<ArchiveFormat, (entries: MadeEntry[]) => Buffer> = {
  zip: makeZip,
  tar: makeTar,
  'tar.gz': makeTarGz,
};
export const formats = Object.keys(makers) as ArchiveFormat[];

interface UploadOptions {
  path?: string;
  overwrite?: boolean;
  mirror?: boolean;
  disk?: ByteLimit;
}

/** A home with one file, and `upload` with everything at its default. */
export async function makeUploads(t: TestContext, bounds: Partial<ArchiveBounds> = {}) {
  const made = makeFiles(t, bounds);
  await made.files.write(made.bot, { path: 'old.txt', body: Readable.from([Buffer.from('old')]), limit: limitOf(9) });
  const upload = (format: ArchiveFormat, archive: Buffer | Iterable<Buffer>, options: UploadOptions = {}) =>
    made.files.upload(made.bot, {
      path: '',
      overwrite: true,
      mirror: false,
      limit: limitOf(100 * mebibyte),
      disk: limitOf(10 * mebibyte),
      ...options,
      format,
      body: Readable.from(Buffer.isBuffer(archive) ? [archive] : archive),
    });
  return { ...made, upload };
}
