// Entries of archives: zip-entries.ts and tar-entries.ts yield them, archive-writer.ts takes them.
// Entries that were read are not validated yet: archive.ts does that.
import { type ArchiveFormat, archiveFormats } from '@botel/contract/vocabulary';
import { BotelError, fail } from '../../core/domain/errors.ts';
import { errnoOf } from './file-errors.ts';
import type { SourceEntry } from './tree-source.ts';

/** One entry as the archive declares it. */
export interface ArchiveEntry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'hard-link' | 'other';
  /** Bytes of content that the archive declares, of whatever kind the entry is. */
  size: number;
  /** Unix mode, null when the archive has none. */
  mode: number | null;
  modifiedAt: Date | null;
  /** The target of a link; for a hard link the name of the other entry; otherwise ''. */
  target: string;
  /** The bytes of a file; read once, before the next entry is requested. */
  content(): AsyncIterable<Buffer>;
}

/** An entry to be written, whose name and target are text. */
export interface PackedEntry extends Omit<SourceEntry, 'path' | 'target' | 'stats'> {
  name: string;
  stats: Pick<SourceEntry['stats'], 'size' | 'mode' | 'mtime'>;
  target: string;
}

/** The bytes as text, null when they are not UTF-8. */
export function utf8Text(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

/** The format that a file name's suffix denotes, null for any other name. */
export function formatOf(name: string): ArchiveFormat | null {
  if (name.endsWith('.tgz')) return 'tar.gz';
  return archiveFormats.find((format) => name.endsWith(`.${format}`)) ?? null;
}

/** 400 `archive <fault>`. */
export function archiveFault(fault: string): BotelError {
  return fail.invalidInput('archive', fault);
}

/** Keeps system errors and BotelErrors; any other one means that the archive is damaged. */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof BotelError || errnoOf(error)) return error;
  return archiveFault('is damaged or not of the given type');
}
