// Copies bytes between streams and open files.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ByteRange } from '../../core/lib/byte-range.ts';

/** Maximum bytes of a stream, and the error for a longer one. */
export interface ByteLimit {
  bytes: number;
  error(): Error;
}

const chunkBytes = 64 * 1024;

/**
 * A range of an open file's bytes; the file is closed with the stream. The stream fails when the
 * file has become shorter, so that a reader who expects the declared length is not left waiting;
 * bytes added since are not read.
 */
export function streamOf(handle: FileHandle, range: ByteRange): Readable {
  let at = range.start;
  let left = range.length;
  async function next(): Promise<Buffer | null> {
    if (left === 0) return null;
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(chunkBytes, left)), 0, null, at);
    if (bytesRead === 0) throw new Error('The file became shorter while it was read');
    at += bytesRead;
    left -= bytesRead;
    return buffer.subarray(0, bytesRead);
  }
  return new Readable({
    read() {
      next().then(
        (chunk) => this.push(chunk),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      handle.close().then(() => done(error), done);
    },
  });
}

/** The bytes that an open file had when `stats` were taken, fewer when it has become shorter. */
export async function* contentOf(handle: FileHandle, stats: BigIntStats): AsyncGenerator<Buffer> {
  const size = Number(stats.size);
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(chunkBytes, size - at)), 0, null, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The body stays usable: the answer may have to use the same connection. */
export function receivedBytes(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false });
}

/** Counts the bytes of several streams together. */
export class BoundedBytes {
  total = 0;
  readonly #limit: ByteLimit;

  constructor(limit: ByteLimit) {
    this.#limit = limit;
  }

  /** The same chunks; rejects with the limit's error when the total exceeds it. */
  async *count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.total += chunk.length;
      if (this.total > this.#limit.bytes) throw this.#limit.error();
      yield chunk;
    }
  }
}

/** The same chunks; `count` hears of the length of each and may throw. */
export async function* countedBytes(
  chunks: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

export function limited(chunks: AsyncIterable<Buffer>, limit: ByteLimit): AsyncGenerator<Buffer> {
  return new BoundedBytes(limit).count(chunks);
}

/** Writes bytes into an open file and flushes it; resolves to their number. */
export async function writeContent(
  handle: FileHandle,
  chunks: AsyncIterable<Buffer>,
  limit: ByteLimit,
): Promise<number> {
  await handle.writeFile(limited(chunks, limit));
  await handle.sync();
  return (await handle.stat()).size;
}
