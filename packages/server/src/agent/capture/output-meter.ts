// Measures how fast the engine's log of one container grows, across its rotations, from file sizes
// alone: also when reading doesn't keep up.
import { statSync } from 'node:fs';

interface Size {
  /** Inode and birth time: an inode alone is reused as soon as its file is gone. */
  file: string;
  bytes: number;
}

export class OutputMeter {
  readonly #path: string;
  /** The newest segment at the last sample. */
  #last: Size | null = null;

  /**
   * `path` is that of the newest segment; the file need not exist yet. Counting begins with the
   * first sample.
   */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Bytes added since the last sample; a lower bound when whole segments came and went in between.
   */
  grown(): number {
    const newest = sizeOf(this.#path);
    const last = this.#last;
    this.#last = newest ?? last;
    if (!newest || !last) return 0;
    if (newest.file === last.file) return newest.bytes >= last.bytes ? newest.bytes - last.bytes : newest.bytes;
    let bytes = newest.bytes;
    for (const suffix of ['.1', '.2']) {
      const older = sizeOf(this.#path + suffix);
      if (!older) break;
      if (older.file === last.file) return bytes + Math.max(0, older.bytes - last.bytes);
      bytes += older.bytes;
    }
    return bytes;
  }
}

function sizeOf(path: string): Size | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? { file: `${stats.ino} ${stats.birthtimeMs}`, bytes: stats.size } : null;
}
