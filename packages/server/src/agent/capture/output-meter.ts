// Measures how fast a container's log grows, by file sizes: also when reading can't keep up.
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

  /** `path`: the newest segment, which need not exist yet. The first sample starts the count. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Bytes since the last sample; a lower bound when whole segments came and went. */
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
