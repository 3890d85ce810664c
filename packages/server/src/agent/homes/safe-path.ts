// Validates relative paths and splits them into parts. Pure.
import { fail } from '../../core/domain/errors.ts';

const pathMaxBytes = 4096;
const partMaxBytes = 255;

/**
 * Splits a path relative to a bot's home: '/' separates, every other character but NUL and U+FFFD
 * (which stands for bytes that are not text) is an ordinary one. Null when it is too long, not
 * well-formed Unicode, or has an empty, `.` or `..` part.
 */
function splitPath(text: string): string[] | null {
  if (Buffer.byteLength(text) > pathMaxBytes || !text.isWellFormed()) return null;
  const parts = text.split('/');
  return parts.every(isPart) ? parts : null;
}

function isPart(part: string): boolean {
  if (part === '' || part === '.' || part === '..' || /[\0\uFFFD]/.test(part)) return false;
  return Buffer.byteLength(part) <= partMaxBytes;
}

/** Parts of a path below the home. Throws `<field> is not valid`. */
export function parsePath(text: string, field = 'path'): string[] {
  const parts = splitPath(text);
  if (!parts) throw fail.invalidInput(field, 'is not valid');
  return parts;
}

/** Like parsePath, but '' means the home itself (no parts). */
export function parseFolderPath(text: string, field = 'path'): string[] {
  return text === '' ? [] : parsePath(text, field);
}

/** Like splitPath, but drops `.` parts and one final '/'; no parts mean the archive's root. */
export function splitArchiveName(name: string): string[] | null {
  if (name === '' || name.startsWith('/')) return null;
  const kept = name
    .replace(/\/$/, '')
    .split('/')
    .filter((part) => part !== '.');
  return kept.length === 0 ? [] : splitPath(kept.join('/'));
}

/**
 * Whether a symbolic link at `place` (parts from the home) may point to `target`: relative, `..`
 * only at its beginning, and never above the home or at itself. With `..` at the beginning only, it
 * passes through real folders, so that no chain of links leads out either.
 */
export function isInnerTarget(place: readonly string[], target: string): boolean {
  if (target === '' || target.startsWith('/') || target.includes('\0') || target.includes('\uFFFD')) return false;
  if (Buffer.byteLength(target) >= pathMaxBytes) return false;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const down = parts.findIndex((part) => part !== '..');
  const up = down === -1 ? parts.length : down;
  const rest = parts.slice(up);
  if (up > place.length - 1 || rest.includes('..')) return false;
  const resolved = [...place.slice(0, place.length - 1 - up), ...rest];
  return resolved.join('/') !== place.join('/');
}

/** The paths without duplicates and without those that lie inside another one of them. */
export function withoutInner(paths: readonly string[][]): string[][] {
  const all = new Set(paths.map((parts) => parts.join('/')));
  const isInner = (parts: string[]) =>
    parts.some((_, length) => length > 0 && all.has(parts.slice(0, length).join('/')));
  return [...all].map((path) => path.split('/')).filter((parts) => !isInner(parts));
}

/** The number of folders, from the home on, that all of the paths share. */
export function commonFolders(paths: readonly string[][]): number {
  const [first = [], ...others] = paths;
  const shortest = Math.min(...paths.map((parts) => parts.length - 1));
  const differs = first.findIndex((part, index) => others.some((other) => other[index] !== part));
  return differs === -1 ? shortest : Math.min(differs, shortest);
}
