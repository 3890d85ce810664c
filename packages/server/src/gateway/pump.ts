// Copies one stream into another with backpressure; the caller handles the end.
import type { Readable } from 'node:stream';

/** A destination of pieces; `write` returns false when no more should come before `drain`. */
export interface Sink {
  write(piece: Buffer): boolean;
  on(event: 'drain', listener: () => void): unknown;
  off(event: 'drain', listener: () => void): unknown;
}

/** Returns a function that stops the copy: it pauses `from`, and no data is lost. */
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
