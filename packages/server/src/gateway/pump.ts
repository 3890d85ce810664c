// Moves what one stream reads into another, no faster than that takes it; the end is the caller's. Memory stays flat.
import type { Readable, Writable } from 'node:stream';

/** Calls `onBytes` for each piece. Returns what stops it; then `from` is paused, and nothing was lost. */
export function pump(from: Readable, to: Writable, onBytes: (count: number) => void): () => void {
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
