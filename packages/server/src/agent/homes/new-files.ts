// Fills open files, several at once: most are small, and each waits for several system calls.
import { futimesSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { chownFile } from './ownership.ts';

const parallel = 16;
/** Small files are written whole, large ones in pieces of about this size. */
const heldBytes = 128 * 1024;

/** Attributes of a file besides its bytes. `modifiedAt` null = now. */
export interface NewFile {
  uid: number;
  mode: number;
  modifiedAt: Date | null;
}

/** Dispose of it when nothing more is added: it waits for writes in progress. */
export class NewFiles implements AsyncDisposable {
  readonly #works = new Set<Promise<void>>();
  #failures: unknown[] = [];

  /**
   * Takes over an open, empty file and closes it. All `chunks` are read when this resolves; the
   * last of them may not be written yet. Also rejects with the error of an earlier file.
   */
  async add(file: FileHandle, { uid, mode, modifiedAt }: NewFile, chunks: AsyncIterable<Buffer>): Promise<void> {
    let rest: Buffer[];
    try {
      rest = await writeBegin(file, chunks);
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#begin(async () => {
      await using _ = file;
      if (rest.length > 0) await write(file, rest);
      chownFile(file, uid, mode);
      if (modifiedAt) futimesSync(file.fd, modifiedAt, modifiedAt);
    });
  }

  /** Resolves when all files are complete; rejects with the first error. */
  async finish(): Promise<void> {
    await Promise.all(this.#works);
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#works);
  }

  async #begin(fill: () => Promise<void>): Promise<void> {
    const work = fill()
      .catch((error) => void this.#failures.push(error))
      .finally(() => this.#works.delete(work));
    this.#works.add(work);
    if (this.#works.size >= parallel) await Promise.race(this.#works);
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}

/** Writes all but the last piece, which is returned. */
async function writeBegin(file: FileHandle, chunks: AsyncIterable<Buffer>): Promise<Buffer[]> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    if (bytes >= heldBytes) {
      await write(file, held);
      [held, bytes] = [[], 0];
    }
    held.push(chunk);
    bytes += chunk.length;
  }
  return held;
}

/** Writes everything: a partial write reports its error only on the next call. */
async function write(file: FileHandle, chunks: Buffer[]): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  const left = chunks.reduce((sum, chunk) => sum + chunk.length, -bytesWritten);
  if (left > 0) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}
