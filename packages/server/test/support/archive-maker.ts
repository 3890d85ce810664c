// Makes hostile and ordinary archives byte by byte, for the tests of this folder: the usual writers
// refuse to.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** An entry to be written as given. `type` is tar's type flag; `mode` is the whole Unix mode (with
 * the file type) in a zip. */
export interface MadeEntry {
  name: string;
  /** The name as it stands in the archive, when it is no text. */
  nameBytes?: Buffer;
  content?: string | Buffer;
  type?: string;
  mode?: number;
  target?: string;
  /** In a zip: the system that it was made on; 3 = Unix. */
  madeOn?: number;
  /** What the archive claims instead of the truth. */
  claimedSize?: number;
  claimedChecksum?: number;
}

const fileTypes: Record<string, number> = {
  '0': 0o100000,
  '2': 0o120000,
  '3': 0o020000,
  '4': 0o060000,
  '5': 0o040000,
  '6': 0o010000,
  socket: 0o140000,
};

/** A zip file; content is deflated. */
export function makeZip(entries: MadeEntry[], { claimedCount = entries.length } = {}): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const type = entry.type ?? '0';
    const content = type === '2' ? Buffer.from(entry.target ?? '') : Buffer.from(entry.content ?? '');
    const packed = deflateRawSync(content);
    const name = entry.nameBytes ?? Buffer.from(entry.name);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(entry.claimedChecksum ?? crc32(content), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(entry.claimedSize ?? content.length, 8);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(0x800, 6);
    local.writeUInt16LE(8, 8);
    sizes.copy(local, 14);
    local.writeUInt16LE(name.length, 26);
    locals.push(local, name, packed);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(((entry.madeOn ?? 3) << 8) | 20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(0x800, 8);
    central.writeUInt16LE(8, 10);
    central.writeUInt16LE(0x5821, 14);
    sizes.copy(central, 16);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE((((fileTypes[type] ?? 0) | (entry.mode ?? 0o644)) << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    centrals.push(central, name);
    offset += local.length + name.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(claimedCount & 0xffff, 8);
  end.writeUInt16LE(claimedCount & 0xffff, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** A tar file; names and targets that need it get a pax header. */
export function makeTar(entries: MadeEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(1024)]);
}

export function makeTarGz(entries: MadeEntry[]): Buffer {
  return gzipSync(makeTar(entries));
}

function tarEntry(entry: MadeEntry): Buffer[] {
  const content = Buffer.from(entry.content ?? '');
  const records = [];
  if (!isPlain(entry.name)) records.push(paxRecord('path', entry.name));
  if (entry.target && !isPlain(entry.target)) records.push(paxRecord('linkpath', entry.target));
  const pax = Buffer.concat(records);
  const extension = pax.length > 0 ? [tarHeader({ name: 'pax', type: 'x' }, pax.length), padded(pax)] : [];
  return [...extension, tarHeader(entry, content.length), padded(content)];
}

function isPlain(name: string): boolean {
  return Buffer.byteLength(name) === name.length && !name.includes('\0') && name.length < 100;
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

function tarHeader(entry: MadeEntry, size: number): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(isPlain(entry.name) ? entry.name : 'see-pax', 0, 'latin1');
  entry.nameBytes?.copy(header);
  octal(entry.mode ?? 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  const claimed = entry.claimedSize ?? size;
  octal(Math.max(0, claimed), 124, 12);
  // Numbers below zero are written in base 256.
  if (claimed < 0) header.fill(0xff, 124, 132).writeInt32BE(claimed, 132);
  octal(1_700_000_000, 136, 12);
  header.write('        ', 148, 'latin1');
  header.write(entry.type?.[0] ?? '0', 156, 'latin1');
  header.write(entry.target && isPlain(entry.target) ? entry.target : entry.target ? 'see-pax' : '', 157, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = entry.claimedChecksum ?? header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}
