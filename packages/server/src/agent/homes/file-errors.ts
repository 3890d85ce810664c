// Maps file system errors to errors for callers.
import { BotelError, fail } from '../../core/domain/errors.ts';

/** The errno name of a system error ('ENOENT'), null for anything else. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** For `catch`: null when there is no such file or folder. */
export function unlessGone(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}

/** For `catch`: false when something of that name exists already. */
export function unlessThere(error: unknown): false {
  if (errnoOf(error) === 'EEXIST') return false;
  throw error;
}

/** A tree exceeds the bounds of its reader. */
export class TreeTooLargeError extends Error {}

/** A BotelError about the path in `field` where the caller can act on it, else `error`. */
export function toFileError(error: unknown, field = 'path'): unknown {
  if (error instanceof BotelError) return error;
  if (error instanceof TreeTooLargeError) return fail.invalidInput(field, 'holds too many files');
  switch (errnoOf(error)) {
    case 'ENOENT':
      return fail.fileNotFound();
    // A part is a link, a socket, or a file in place of a folder or the reverse.
    case 'ELOOP':
    case 'ENOTDIR':
    case 'EISDIR':
    case 'ENXIO':
    case 'ENAMETOOLONG':
      return fail.invalidInput(field, 'is not valid');
    case 'ENOSPC':
    case 'EDQUOT':
      return fail.storageFull(error);
    default:
      return error;
  }
}

/** Runs `work` and maps its errors with toFileError. */
export async function withFileErrors<T>(work: () => Promise<T>, field = 'path'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, field);
  }
}
