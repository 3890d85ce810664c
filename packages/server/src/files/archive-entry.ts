// What the readers of archives (zip-entries.ts, tar-entries.ts) yield, and the error of an archive that breaks the
// rules. Nothing in an entry is trusted or checked yet: archive.ts does that.
import { BotelError, fail } from '../domain/errors.ts';
import { errnoOf } from './file-errors.ts';

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

/** 400 `archive <fault>`. */
export function archiveFault(fault: string): BotelError {
  return fail.invalidInput('archive', fault);
}

/** Errors of this machine and those already worded stay; all else was thrown by a parser: the archive is damaged. */
export function toArchiveError(error: unknown): unknown {
  if (error instanceof BotelError || errnoOf(error)) return error;
  return archiveFault('is damaged or not of the given type');
}
