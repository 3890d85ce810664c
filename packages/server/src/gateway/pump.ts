// Moves what one stream reads into another, no faster than that takes it; the end is the caller's.
// Memory stays flat.
import type { Readable } from 'node:stream';

/** What takes pieces; `write` is false when no more should come before `drain`. */
export interface Sink {
  write(piece: Buffer): boolean;
  on(event: 'drain', listener: () => void): unknown;
  off(event: 'drain', listener: () => void): unknown;
}

/** Calls `onBytes` for each piece. Returns what stops it; then `from` is paused, and nothing was
 * lost. */
export function pump(from: Readable, to: Sink, onBytes: (count: number) => void): () => void {
  const onData = (piece: Buffer) => {
    onBytes(piece.length);
    if (!to.write(piece)) from.pause();
  };
  const onDrain = () => from.resume();
  from.on('data', onData);
  to.on('drain', onDrain);
  from.resume();
  return () => {
    from.off('data', onData);
    to.off('drain', onDrain);
    from.pause();
  };
}
