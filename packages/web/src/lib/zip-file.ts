// Lists a zip and rewrites its names without unpacking it. Zip64, encryption and non-text names
// count as unreadable.

/** A file or link in a zip. */
export interface ZipEntry {
  path: string;
  /** Unpacked size in bytes. */
  size: number;
  packedSize: number;
  method: number;
  /** Offset of its local header. */
  offset: number;
  /** Its central directory record. */
  record: Uint8Array<ArrayBuffer>;
}

const endSignature = 0x06054b50;
const recordSignature = 0x02014b50;
const headerSignature = 0x04034b50;
const endBytes = 22;
const recordBytes = 46;
const headerBytes = 30;
const longestComment = 65_535;
/** Marks fields stored in a Zip64 record. */
const elsewhere = 0xffffffff;
const maxDirectoryBytes = 32 * 1024 * 1024;
const flag = { encrypted: 1, sizesBehind: 8, utf8: 0x800 };
const deflated = 8;

/** The files of a zip, in its order; null when it can't be read. */
export async function readZip(zip: Blob): Promise<ZipEntry[] | null> {
  const tail = await bytesOf(zip.slice(Math.max(0, zip.size - endBytes - longestComment)));
  const end = findEnd(tail);
  if (end === null) return null;
  const [count, size, offset] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)];
  if (count === 0xffff || offset === elsewhere || size > maxDirectoryBytes) return null;
  const directory = await bytesOf(zip.slice(offset, offset + size));
  const entries: ZipEntry[] = [];
  for (let at = 0, index = 0; index < count; index++) {
    const entry = readRecord(directory, at);
    if (entry === null) return null;
    at += entry.record.length;
    if (!entry.path.endsWith('/')) entries.push(entry);
  }
  return entries;
}

/** The text of a file; rejects if it doesn't match its record. */
export async function readZipText(zip: Blob, entry: ZipEntry): Promise<string> {
  const packed = await packedOf(zip, entry);
  if (entry.method !== deflated) return packed.text();
  return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}

/** A zip of these files of `zip`, under their new paths. */
export async function renameInZip(zip: Blob, files: readonly { entry: ZipEntry; path: string }[]): Promise<Blob> {
  const parts: BlobPart[] = [];
  const records: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { entry, path } of files) {
    const name = new TextEncoder().encode(path);
    const record = renamedRecord(entry.record, name, offset);
    const header = headerOf(record, name);
    const packed = await packedOf(zip, entry);
    parts.push(header, packed);
    records.push(record);
    offset += header.length + packed.size;
  }
  const size = records.reduce((sum, record) => sum + record.length, 0);
  const end = new DataView(new ArrayBuffer(endBytes));
  end.setUint32(0, endSignature, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...records, end], { type: 'application/zip' });
}

async function bytesOf(part: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await part.arrayBuffer());
}

function findEnd(tail: Uint8Array<ArrayBuffer>): DataView | null {
  for (let at = tail.length - endBytes; at >= 0; at--) {
    const view = new DataView(tail.buffer, at);
    if (view.getUint32(0, true) === endSignature && view.getUint16(20, true) === view.byteLength - endBytes)
      return view;
  }
  return null;
}

function readRecord(directory: Uint8Array<ArrayBuffer>, at: number): ZipEntry | null {
  if (at + recordBytes > directory.length) return null;
  const view = new DataView(directory.buffer, at);
  const nameLength = view.getUint16(28, true);
  const length = recordBytes + nameLength + view.getUint16(30, true) + view.getUint16(32, true);
  const [packedSize, size, offset] = [view.getUint32(20, true), view.getUint32(24, true), view.getUint32(42, true)];
  const isPlain = (view.getUint16(8, true) & flag.encrypted) === 0 && ![packedSize, size, offset].includes(elsewhere);
  if (view.getUint32(0, true) !== recordSignature || at + length > directory.length || !isPlain) return null;
  const path = textOf(directory.subarray(at + recordBytes, at + recordBytes + nameLength));
  if (path === null) return null;
  return { path, size, packedSize, method: view.getUint16(10, true), offset, record: directory.slice(at, at + length) };
}

/** Names without the UTF-8 flag are usually UTF-8 anyway. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function packedOf(zip: Blob, { offset, packedSize }: ZipEntry): Promise<Blob> {
  const header = new DataView(await zip.slice(offset, offset + headerBytes).arrayBuffer());
  if (header.byteLength < headerBytes || header.getUint32(0, true) !== headerSignature)
    throw new Error('The zip file is damaged');
  const begin = offset + headerBytes + header.getUint16(26, true) + header.getUint16(28, true);
  return zip.slice(begin, begin + packedSize);
}

function renamedRecord(old: Uint8Array<ArrayBuffer>, name: Uint8Array, offset: number): Uint8Array<ArrayBuffer> {
  const record = new Uint8Array(recordBytes + name.length);
  record.set(old.subarray(0, recordBytes));
  record.set(name, recordBytes);
  const view = new DataView(record.buffer);
  view.setUint16(8, (view.getUint16(8, true) & ~flag.sizesBehind) | flag.utf8, true);
  view.setUint16(28, name.length, true);
  // Drops extra fields and comments.
  view.setUint16(30, 0, true);
  view.setUint16(32, 0, true);
  view.setUint16(34, 0, true);
  view.setUint32(42, offset, true);
  return record;
}

/** The header before the packed bytes: the same fields as in the record, from its sixth byte on. */
function headerOf(record: Uint8Array, name: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(headerBytes + name.length);
  new DataView(header.buffer).setUint32(0, headerSignature, true);
  header.set(record.subarray(6, 32), 4);
  header.set(name, headerBytes);
  return header;
}
