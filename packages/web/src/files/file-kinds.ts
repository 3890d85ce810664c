// What the page does with a file: edit it, show it as an image, or only offer it for download. Pure.

export const editableBytes = 1024 * 1024;
const previewBytes = 20 * 1024 * 1024;

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

export type FileView = { kind: 'text' } | { kind: 'image'; type: string } | { kind: 'too_big' };

export function endingOf(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

export function viewOf(path: string, sizeBytes: number): FileView {
  const type = imageTypes[endingOf(path)];
  if (type && sizeBytes <= previewBytes) return { kind: 'image', type };
  return sizeBytes <= editableBytes ? { kind: 'text' } : { kind: 'too_big' };
}

/** The text of a file; null when its bytes are none. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Why a name can't be one of a file or folder; null = it can. */
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

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
