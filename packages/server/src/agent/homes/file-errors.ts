// Maps file system errors to errors for callers.
import { BotelError, fail } from '../../core/domain/errors.ts';

/** The errno name of a system error ('ENOENT'), null for anything else. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** A tree is larger than the bounds of what reads it. */
export class TreeTooLargeError extends Error {}

/** The error to throw for what went wrong at the path in `field`: a BotelError where the caller is to know, else `error`. */
export function toFileError(error: unknown, field = 'path'): unknown {
  if (error instanceof BotelError) return error;
  if (error instanceof TreeTooLargeError) return fail.invalidInput(field, 'holds too many files');
  if (isTimeout(error)) return fail.invalidInput(field, 'takes too long');
  switch (errnoOf(error)) {
    case 'ENOENT':
      return fail.fileNotFound();
    // A part is a link, a file where a folder is needed or the reverse, or a socket.
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

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Runs `work`; what it throws goes through toFileError. */
export async function withFileErrors<T>(work: () => Promise<T>, field = 'path'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, field);
  }
}
