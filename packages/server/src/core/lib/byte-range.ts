// The `Range` header of HTTP (RFC 9110, section 14), as far as one range of bytes goes. Pure.

/** A part of a content: `start` is the offset of its first byte. */
export interface ByteRange {
  start: number;
  length: number;
}

/**
 * The part of a content of `size` bytes that the header asks for: null when it asks for none that is understood (then
 * all is sent), `unsatisfiable` when it begins after the end.
 */
export function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, length };
  }
  const start = Number(first);
  const end = last === '' ? size : Number(last) + 1;
  if (end <= start) return last === '' ? 'unsatisfiable' : null;
  return start >= size ? 'unsatisfiable' : { start, length: Math.min(end, size) - start };
}
