// Reads exact numbers of bytes from a stream of chunks and buffers no more than that.

export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next 1 to `bytesMax` bytes; null at the end. */
  async some(bytesMax: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return null;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, bytesMax);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** The next `bytes` bytes; null when the end comes first. */
  async exactly(bytes: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = await this.some(missing);
      if (!part) return null;
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Stops reading the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
