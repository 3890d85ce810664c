// Moves bytes between streams and open files. Must not open or name files.
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';

const chunkBytes = 64 * 1024;

/**
 * The bytes that an open file had when `stats` were taken; the file is closed with the stream. The stream fails when
 * the file has become shorter, so that a reader who was promised a length is not left waiting.
 */
export function streamOf(handle: FileHandle, stats: BigIntStats): Readable {
  let left = Number(stats.size);
  async function next(): Promise<Buffer | null> {
    if (left === 0) return null;
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(Math.min(chunkBytes, left)));
    if (bytesRead === 0) throw new Error('The file became shorter while it was read');
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

/** Writes a stream into an open file and flushes it; throws `tooLarge()` as soon as there are more than `bytesMax`. */
export async function writeContent(
  handle: FileHandle,
  body: Readable,
  bytesMax: number,
  tooLarge: () => Error,
): Promise<number> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    // The stream stays usable: an answer may still have to be sent over the connection that it comes from.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge();
      yield chunk;
    }
  }
  await handle.writeFile(counted());
  await handle.sync();
  return bytes;
}
