// Whether a file is edited, shown as an image, or only offered for download. Pure.

export const editableBytes = 1024 * 1024;
export const previewBytes = 20 * 1024 * 1024;

/** Kinds of images that are shown. Never SVG: it may hold programs. */
const imageTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
};

export function endingOf(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

/** The type of an image that is shown; null = the file is none. */
export function imageTypeOf(path: string): string | null {
  return imageTypes[endingOf(path)] ?? null;
}

/** The text of a file; null if its bytes aren't text. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Why a name is invalid for a file or folder; null = it is valid. */
export function nameFault(name: string): 'empty' | 'slash' | 'dots' | 'too_long' | 'characters' | null {
  if (name.trim() === '') return 'empty';
  if (name.includes('/')) return 'slash';
  if (name === '.' || name === '..') return 'dots';
  if (new TextEncoder().encode(name).length > 255) return 'too_long';
  return /[\0\uFFFD]/.test(name) || !name.isWellFormed() ? 'characters' : null;
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** `a/b/c` is in the home, in `a` and in `a/b`; the nearest first. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.push(folder);
  return path === '' ? [] : [...folders, ''];
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
