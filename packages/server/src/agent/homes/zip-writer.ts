// Writes zip streams, with zip64 where a size or offset needs it.
import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import type { PackedEntry } from './archive-entry.ts';

const unset32 = 0xffffffff;
const unset16 = 0xffff;
/** Written with 64-bit lengths from this size on: compression may make them a little larger. */
const largeBytes = 0xf0000000;
const nameIsUtf8 = 0x800;
const sizesFollow = 0x8;
const deflate = 8;
const kindModes = { file: 0o100000, folder: 0o040000, link: 0o120000 };

/** Facts of an entry that are known once it was written. */
interface Written {
  name: Buffer;
  mode: number;
  modifiedAt: Date;
  isFile: boolean;
  isLarge: boolean;
  offset: number;
  checksum: number;
  size: number;
  packedSize: number;
}

/** A zip file of `entries`. */
export async function* zipOf(entries: AsyncIterable<PackedEntry>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const written = beginEntry(entry, offset);
    for await (const chunk of entryBytes(entry, written)) {
      offset += chunk.length;
      yield chunk;
    }
    directory.push(directoryRecord(written));
  }
  yield* directory;
  const directoryBytes = directory.reduce((sum, record) => sum + record.length, 0);
  yield endRecord({ count: directory.length, bytes: directoryBytes, offset });
}

function beginEntry({ name, kind, stats, target }: PackedEntry, offset: number): Written {
  const content = Buffer.from(target);
  return {
    name: Buffer.from(kind === 'folder' ? `${name}/` : name),
    mode: kindModes[kind] | Number(stats.mode & 0o777n),
    modifiedAt: stats.mtime,
    isFile: kind === 'file',
    isLarge: kind === 'file' && stats.size >= largeBytes,
    offset,
    checksum: crc32(content),
    size: content.length,
    packedSize: content.length,
  };
}

/** A link's content is its target; a file's sizes are known, and written, after its content. */
async function* entryBytes(entry: PackedEntry, written: Written): AsyncGenerator<Buffer> {
  yield localHeader(written);
  if (entry.kind === 'link') yield Buffer.from(entry.target);
  if (entry.kind !== 'file') return;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of entry.content()) {
      written.checksum = crc32(chunk, written.checksum);
      written.size += chunk.length;
      yield chunk;
    }
  }
  // The reader gets failures from the last stream; nothing is left to do here.
  for await (const chunk of pipeline(counted(), createDeflateRaw(), () => undefined) as AsyncIterable<Buffer>) {
    written.packedSize += chunk.length;
    yield chunk;
  }
  yield sizesRecord(written);
}

function localHeader(written: Written): Buffer {
  const { name, isFile, isLarge } = written;
  const extra = Buffer.concat([timeExtra(written), isLarge ? longExtra([0, 0]) : Buffer.alloc(0)]);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeFacts(header.subarray(4), written);
  if (!isFile) writeSizes(header.subarray(14), written);
  else if (isLarge) header.fill(0xff, 18, 26);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function sizesRecord({ checksum, packedSize, size, isLarge }: Written): Buffer {
  const record = Buffer.alloc(isLarge ? 24 : 16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(checksum, 4);
  if (isLarge) {
    record.writeBigUInt64LE(BigInt(packedSize), 8);
    record.writeBigUInt64LE(BigInt(size), 16);
  } else {
    record.writeUInt32LE(packedSize, 8);
    record.writeUInt32LE(size, 12);
  }
  return record;
}

function directoryRecord(written: Written): Buffer {
  const { name, mode, isLarge, size, packedSize, offset } = written;
  const isLong = isLarge || offset >= unset32;
  const extra = Buffer.concat([timeExtra(written), isLong ? longExtra([size, packedSize, offset]) : Buffer.alloc(0)]);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  const madeOnUnix = 3 << 8;
  record.writeUInt16LE(madeOnUnix | 45, 4);
  writeFacts(record.subarray(6), written);
  writeSizes(record.subarray(16), written);
  if (isLong) record.fill(0xff, 20, 28);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE((mode << 16) >>> 0, 38);
  record.writeUInt32LE(isLong ? unset32 : offset, 42);
  return Buffer.concat([record, name, extra]);
}

/** Version needed, flags, method and time: both kinds of headers have them in this order. */
function writeFacts(bytes: Buffer, { isFile, isLarge, offset, modifiedAt }: Written): void {
  bytes.writeUInt16LE(isLarge || offset >= unset32 ? 45 : 20, 0);
  bytes.writeUInt16LE(isFile ? nameIsUtf8 | sizesFollow : nameIsUtf8, 2);
  bytes.writeUInt16LE(isFile ? deflate : 0, 4);
  const year = Math.max(1980, Math.min(2107, modifiedAt.getFullYear()));
  const time = (modifiedAt.getHours() << 11) | (modifiedAt.getMinutes() << 5) | (modifiedAt.getSeconds() >> 1);
  bytes.writeUInt16LE(time, 6);
  bytes.writeUInt16LE(((year - 1980) << 9) | ((modifiedAt.getMonth() + 1) << 5) | modifiedAt.getDate(), 8);
}

function writeSizes(bytes: Buffer, { checksum, packedSize, size }: Written): void {
  bytes.writeUInt32LE(checksum, 0);
  bytes.writeUInt32LE(Math.min(packedSize, unset32), 4);
  bytes.writeUInt32LE(Math.min(size, unset32), 8);
}

/** The time in UTC: the header's own time has no time zone. */
function timeExtra({ modifiedAt }: Written): Buffer {
  const extra = Buffer.alloc(9);
  extra.writeUInt16LE(0x5455, 0);
  extra.writeUInt16LE(5, 2);
  extra.writeUInt8(1, 4);
  extra.writeInt32LE(Math.max(0, Math.min(2 ** 31 - 1, Math.floor(modifiedAt.getTime() / 1000))), 5);
  return extra;
}

/** The 64-bit numbers of header fields that are all ones. */
function longExtra(values: number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

function endRecord({ count, bytes, offset }: { count: number; bytes: number; offset: number }): Buffer {
  const isLong = count >= unset16 || bytes >= unset32 || offset >= unset32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLong ? unset16 : count, 8);
  end.writeUInt16LE(isLong ? unset16 : count, 10);
  end.writeUInt32LE(isLong ? unset32 : bytes, 12);
  end.writeUInt32LE(isLong ? unset32 : offset, 16);
  if (!isLong) return end;
  const long = Buffer.alloc(56 + 20);
  long.writeUInt32LE(0x06064b50, 0);
  long.writeBigUInt64LE(44n, 4);
  long.writeUInt16LE((3 << 8) | 45, 12);
  long.writeUInt16LE(45, 14);
  for (const at of [24, 32]) long.writeBigUInt64LE(BigInt(count), at);
  long.writeBigUInt64LE(BigInt(bytes), 40);
  long.writeBigUInt64LE(BigInt(offset), 48);
  long.writeUInt32LE(0x07064b50, 56);
  long.writeBigUInt64LE(BigInt(offset + bytes), 64);
  long.writeUInt32LE(1, 72);
  return Buffer.concat([long, end]);
}
