// Entries as the readers of archives (zip-entries.ts, tar-entries.ts) yield them and the writers
// (archive-writer.ts) take them. Entries that were read are not validated yet: archive.ts does
// that.
import { type ArchiveFormat, archiveFormats } from '@botel/contract/vocabulary';
import { BotelError, fail } from '../../core/domain/errors.ts';
import { errnoOf } from './file-errors.ts';
import type { SourceEntry } from './tree-source.ts';

/** One entry as the archive declares it. */
export interface ArchiveEntry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'hard-link' | 'other';
  /** Unix mode, null when the archive has none. */
  mode: number | null;
  modifiedAt: Date | null;
  /** Of a link: where it points to. Of a hard link: the name of the other entry. Else ''. */
  target: string;
  /** The bytes of a file; read once, before the next entry is asked for. */
  content(): AsyncIterable<Buffer>;
}

/** An entry to be written, whose name and target are text. */
export interface PackedEntry extends Omit<SourceEntry, 'path' | 'target' | 'stats'> {
  name: string;
  stats: Pick<SourceEntry['stats'], 'size' | 'mode' | 'mtime'>;
  target: string;
}

/** The format that a file's name stands for, null for any other name. */
export function formatOf(name: string): ArchiveFormat | null {
  if (name.endsWith('.tgz')) return 'tar.gz';
  return archiveFormats.find((format) => name.endsWith(`.${format}`)) ?? null;
}

/** 400 `archive <fault>`. */
export function archiveFault(fault: string): BotelError {
  return fail.invalidInput('archive', fault);
}

/** Errors of this machine and those already worded stay; all else was thrown by a parser: the archive is damaged. */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof BotelError || errnoOf(error)) return error;
  return archiveFault('is damaged or not of the given type');
}
