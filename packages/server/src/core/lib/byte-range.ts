// The `Range` header of HTTP (RFC 9110, section 14) for a single range of bytes. Pure.

/** A part of a body: `start` is the offset of its first byte. */
export interface ByteRange {
  start: number;
  length: number;
}

/**
 * Null when the header requests no part or is not understood (send the whole body), `unsatisfiable`
 * when the part starts after the end of the body of `size` bytes.
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
