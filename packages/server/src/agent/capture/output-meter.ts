// Measures how fast the engine's log of one container grows, over its rotations, from the sizes of
// its files alone: also when nobody keeps up with reading them.
import { statSync } from 'node:fs';

interface Size {
  /** An inode alone is used again as soon as its file is gone. */
  file: string;
  bytes: number;
}

export class OutputMeter {
  readonly #path: string;
  /** The newest segment at the last look. */
  #last: Size | null = null;

  /** `path` is that of the newest segment; the file need not exist yet. Counting begins with the
   * first look. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Bytes that were added since the last look; the least possible number when segments came and
   * went unseen. */
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
