// Reads the engine's json-file log of one container across its rotations, from a cursor that
// survives restarts. Synchronous: each call is bounded, reads what was just written, and can't
// interleave with another call.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** Everything before it was read. `fingerprint` tells a segment from a later one with its inode. */
export interface TailCursor {
  inode: number;
  offset: number;
  fingerprint: { sha256: string; bytes: number };
}

/** Known losses: an unknown number of lines, and damaged ones that were skipped. */
export interface TailLoss {
  lost: boolean;
  broken: number;
}

/** The next lines, after the losses before them. */
export interface TailSlice extends TailLoss {
  /** Complete lines, each ended by \n. */
  lines: string;
  /** More can be read at once. */
  more: boolean;
  /** The cursor after this slice. */
  cursor: TailCursor;
}

interface Segment {
  fd: number;
  inode: number;
  offset: number;
  /** Lines before this segment may be missing. */
  lost: boolean;
  /** The fingerprint, once it is final. */
  fingerprint: TailCursor['fingerprint'] | null;
}

const newline = 0x0a;
const fingerprintBytes = 256;
/** Log files per container: X-json.log, .1 and .2 (set by the container's spec). */
const keptSegments = 3;
const segmentBytes = 10_000_000;
/** Newer segments held open, and thus readable after rotation, while an older one is read. */
const heldSegments = 8;
const listingTries = 10;

/** Shared by all tails: a slice is copied out before the next call. */
const buffer = Buffer.allocUnsafe(128 * 1024);

export class JsonFileTail {
  readonly #path: string;
  readonly #resumeAt: TailCursor | null;
  #current: Segment | null = null;
  /** The segments after `#current`, oldest first. */
  #newer: Segment[] = [];
  /** Inside a line that is too long to be a record. */
  #skipping = false;
  #loss: TailLoss = { lost: false, broken: 0 };

  /** `path` is that of the newest segment; the file need not exist yet. */
  constructor(path: string, resumeAt: TailCursor | null) {
    this.#path = path;
    this.#resumeAt = resumeAt;
  }

  /** Whether a file was found. */
  get opened(): boolean {
    return this.#current !== null;
  }

  /** At most one buffer of complete lines; null when there are none. A missing file is fine. */
  read(): TailSlice | null {
    if (!this.#current) this.#open();
    while (this.#current) {
      const segment: Segment = this.#current;
      // Checked before reading: the engine writes nothing to a segment once there is a newer one.
      this.#findNewer(segment);
      const length = readSync(segment.fd, buffer, 0, buffer.length, segment.offset);
      const lines = this.#takeLines(segment, length);
      if (lines !== null) {
        const more = length === buffer.length || this.#newer.length > 0;
        return { ...this.#takeLoss(), lines, more, cursor: cursorOf(segment) };
      }
      if (length === buffer.length) continue;
      if (this.#newer.length > 0) this.#advance(segment, length);
      else if (!this.#wasCut(segment)) return null;
    }
    return null;
  }

  /** The losses at the end of a finished log, including an incomplete last line. */
  rest(): TailLoss {
    const incomplete = this.#current !== null && fstatSync(this.#current.fd).size > this.#current.offset;
    const { lost, broken } = this.#takeLoss();
    return { lost, broken: broken + (incomplete ? 1 : 0) };
  }

  close(): void {
    for (const segment of [this.#current, ...this.#newer]) if (segment) closeSync(segment.fd);
    this.#current = null;
    this.#newer = [];
  }

  /** Returns the complete lines in the buffer and moves past them; null when there are none. */
  #takeLines(segment: Segment, length: number): string | null {
    let start = 0;
    if (this.#skipping) {
      const end = buffer.subarray(0, length).indexOf(newline);
      start = end === -1 ? length : end + 1;
      segment.offset += start;
      this.#skipping = end === -1;
    }
    const end = length === 0 ? 0 : buffer.lastIndexOf(newline, length - 1) + 1;
    if (end > start) {
      segment.offset += end - start;
      return buffer.toString('utf8', start, end);
    }
    if (length - start === buffer.length) {
      // No record is that long.
      segment.offset += length;
      this.#loss.broken++;
      this.#skipping = true;
    }
    return null;
  }

  #takeLoss(): TailLoss {
    const loss = this.#loss;
    this.#loss = { lost: false, broken: 0 };
    return loss;
  }

  /** Continues with the next segment; an incomplete last line stays incomplete. */
  #advance(segment: Segment, length: number): void {
    if (length > 0 && !this.#skipping) this.#loss.broken++;
    this.#skipping = false;
    closeSync(segment.fd);
    this.#current = this.#newer.shift() ?? null;
    if (this.#current?.lost) this.#loss.lost = true;
  }

  /** Whether the file was truncated; reading then restarts, and lines may be missing. */
  #wasCut(segment: Segment): boolean {
    if (fstatSync(segment.fd).size >= segment.offset) return false;
    segment.offset = 0;
    segment.fingerprint = null;
    this.#loss.lost = true;
    return true;
  }

  #open(): void {
    const segments = this.#list();
    const cursor = this.#resumeAt;
    const index = cursor ? segments.findIndex((segment) => isAt(segment, cursor)) : 0;
    for (const older of segments.splice(0, Math.max(index, 0))) closeSync(older.fd);
    const first = segments[0];
    if (!first) return;
    if (cursor && index >= 0) first.offset = cursor.offset;
    else this.#loss.lost = cursor !== null || mayHavePredecessors(segments);
    this.#current = first;
    this.#newer = segments.slice(1);
  }

  /** Finds and opens segments newer than the known ones. */
  #findNewer(current: Segment): void {
    const newest = this.#newer.at(-1) ?? current;
    const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino;
    if (inode === undefined || inode === newest.inode || this.#newer.length >= heldSegments) return;
    const segments = this.#list();
    const known = segments.findIndex((segment) => segment.inode === newest.inode);
    for (const older of segments.splice(0, known + 1)) closeSync(older.fd);
    const next = segments[0];
    if (!next) return;
    if (known === -1) next.lost = true;
    const held = segments.splice(0, heldSegments - this.#newer.length);
    this.#newer.push(...held);
    for (const later of segments) closeSync(later.fd);
  }

  /** Opens all segments, oldest first; [] when there are none, or rotations never paused. */
  #list(): Segment[] {
    for (let attempt = 0; attempt < listingTries; attempt++) {
      const segments = openSegments(this.#path);
      // An inode can't be reused while it is open, so an unchanged newest inode means no rotation.
      const inode = statSync(this.#path, { throwIfNoEntry: false })?.ino;
      if (inode === segments.at(-1)?.inode || (inode === undefined && attempt > 0)) return segments;
      for (const segment of segments) closeSync(segment.fd);
    }
    return [];
  }
}

/** True for a full set, and for one being rotated, which begins with the end of the oldest. */
function mayHavePredecessors(segments: Segment[]): boolean {
  const newest = segments.at(-1);
  if (!newest || segments.length < keptSegments - 1) return false;
  return segments.length === keptSegments || fstatSync(newest.fd).size >= segmentBytes;
}

/** Newest first: a file renamed in between is seen twice rather than never. */
function openSegments(path: string): Segment[] {
  const segments: Segment[] = [];
  try {
    for (let number = 0; number < keptSegments; number++) {
      const segment = openSegment(number === 0 ? path : `${path}.${number}`);
      if (!segment) continue;
      if (segments.some((newer) => newer.inode === segment.inode)) closeSync(segment.fd);
      else segments.unshift(segment);
    }
    return segments;
  } catch (error) {
    for (const segment of segments) closeSync(segment.fd);
    throw error;
  }
}

function openSegment(path: string): Segment | null {
  try {
    const fd = openSync(path, 'r');
    return { fd, inode: fstatSync(fd).ino, offset: 0, lost: false, fingerprint: null };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function fingerprintOf(segment: Segment, bytes: number): TailCursor['fingerprint'] {
  const head = Buffer.alloc(bytes);
  const read = readSync(segment.fd, head, 0, bytes, 0);
  return { sha256: createHash('sha256').update(head.subarray(0, read)).digest('hex'), bytes };
}

function cursorOf(segment: Segment): TailCursor {
  const bytes = Math.min(segment.offset, fingerprintBytes);
  const fingerprint = segment.fingerprint ?? fingerprintOf(segment, bytes);
  if (bytes === fingerprintBytes) segment.fingerprint = fingerprint;
  return { inode: segment.inode, offset: segment.offset, fingerprint };
}

function isAt(segment: Segment, { inode, offset, fingerprint }: TailCursor): boolean {
  return (
    segment.inode === inode &&
    fstatSync(segment.fd).size >= offset &&
    fingerprintOf(segment, fingerprint.bytes).sha256 === fingerprint.sha256
  );
}
