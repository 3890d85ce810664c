// Parses tar streams strictly; global extended headers are ignored, sparse files refused.
import { Header } from 'tar';
import { type ArchiveEntry, archiveFault } from './archive-entry.ts';
import { ByteReader } from './byte-reader.ts';

const blockBytes = 512;
const metaMaxBytes = 1024 * 1024;

const kinds: { [type: string]: ArchiveEntry['kind'] } = {
  File: 'file',
  OldFile: 'file',
  ContiguousFile: 'file',
  Directory: 'folder',
  GNUDumpDir: 'folder',
  SymbolicLink: 'link',
  Link: 'hard-link',
  CharacterDevice: 'other',
  BlockDevice: 'other',
  FIFO: 'other',
};

/** Attributes from extension headers for the next entry. */
interface Extension {
  path?: string;
  linkpath?: string;
  size?: number;
  modifiedAt?: Date;
}

/** Yields the entries of an uncompressed tar stream. Rejects when it is damaged or cut off. */
export async function* tarEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchiveEntry> {
  const reader = new ByteReader(chunks);
  try {
    let extension: Extension = {};
    for (;;) {
      const header = await nextHeader(reader);
      if (!header) break;
      const type = header.type as string;
      if (isExtension(type)) {
        extension = { ...extension, ...(await readExtension(reader, header)) };
        continue;
      }
      const size = extension.size ?? sizeOf(header);
      const body = new EntryBody(reader, size);
      yield { ...toArchiveEntry(header, extension, body), size };
      extension = {};
      await body.skip();
    }
    // The rest is padding; reading it lets the decompression upstream verify its own end.
    while (await reader.some(Number.POSITIVE_INFINITY)) continue;
  } finally {
    await reader.close();
  }
}

/** The next header; null at the end mark (two empty blocks). */
async function nextHeader(reader: ByteReader): Promise<Header | null> {
  for (let empty = 0; empty < 2; empty++) {
    const block = await reader.exactly(blockBytes);
    if (!block) throw archiveFault('is cut off');
    const header = new Header(block, 0);
    if (header.nullBlock) continue;
    if (!header.cksumValid) throw archiveFault('is damaged: a checksum does not match');
    return header;
  }
  return null;
}

function sizeOf(header: Header): number {
  const { size } = header;
  if (size === undefined || !Number.isSafeInteger(size)) throw archiveFault('is damaged: an entry has no size');
  return size;
}

function toArchiveEntry(header: Header, extension: Extension, body: EntryBody): Omit<ArchiveEntry, 'size'> {
  const name = extension.path ?? header.path ?? '';
  const kind = kinds[header.type] ?? 'other';
  return {
    name,
    // Old writers mark folders by the name alone; the parser detects that in a plain header only.
    kind: kind === 'file' && name.endsWith('/') ? 'folder' : kind,
    mode: header.mode ?? null,
    modifiedAt: extension.modifiedAt ?? header.mtime ?? null,
    target: extension.linkpath ?? header.linkpath ?? '',
    content: () => body.content(),
  };
}

/** The bytes after a header, padded to whole blocks. */
class EntryBody {
  readonly #reader: ByteReader;
  #left: number;
  readonly #padding: number;

  constructor(reader: ByteReader, size: number) {
    this.#reader = reader;
    this.#left = size;
    this.#padding = (blockBytes - (size % blockBytes)) % blockBytes;
  }

  async *content(): AsyncGenerator<Buffer> {
    while (this.#left > 0) {
      const part = await this.#reader.some(this.#left);
      if (!part) throw archiveFault('is cut off');
      this.#left -= part.length;
      yield part;
    }
  }

  /** Skips what was not read. */
  async skip(): Promise<void> {
    for await (const _ of this.content()) continue;
    if (!(await this.#reader.exactly(this.#padding))) throw archiveFault('is cut off');
  }
}

function isExtension(type: string): boolean {
  return type.endsWith('ExtendedHeader') || type.startsWith('NextFileHasLong') || type === 'OldGnuLongPath';
}

async function readExtension(reader: ByteReader, header: Header): Promise<Extension> {
  const size = sizeOf(header);
  if (size > metaMaxBytes) throw archiveFault('holds a name that is too long');
  const padded = await reader.exactly(Math.ceil(size / blockBytes) * blockBytes);
  if (!padded) throw archiveFault('is cut off');
  const body = padded.subarray(0, size);
  switch (header.type) {
    case 'NextFileHasLongPath':
    case 'OldGnuLongPath':
      return { path: untilNul(body) };
    case 'NextFileHasLongLinkpath':
      return { linkpath: untilNul(body) };
    // A global header contains nothing relevant: its names and sizes are untrusted.
    case 'GlobalExtendedHeader':
      return {};
    default:
      return parseRecords(body);
  }
}

function untilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

/** Pax records, `<length of the record> <key>=<value>\n`; a value may contain anything. */
function parseRecords(body: Buffer): Extension {
  const extension: Extension = {};
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(' ', at);
    const length = space === -1 ? Number.NaN : Number(body.toString('latin1', at, space));
    const equals = body.indexOf('=', space);
    if (!Number.isSafeInteger(length) || at + length > body.length || equals === -1 || equals >= at + length) {
      throw archiveFault('is damaged: an extended header can not be read');
    }
    const value = body.toString('utf8', equals + 1, at + length - 1);
    setField(extension, body.toString('utf8', space + 1, equals), value);
    at += length;
  }
  return extension;
}

function setField(extension: Extension, key: string, value: string): void {
  if (key === 'path') extension.path = value;
  else if (key === 'linkpath') extension.linkpath = value;
  else if (key === 'mtime') extension.modifiedAt = new Date(Number(value) * 1000);
  else if (key === 'size') {
    if (!/^\d{1,15}$/.test(value)) throw archiveFault('is damaged: an entry has no size');
    extension.size = Number(value);
  } else if (key.startsWith('GNU.sparse.')) throw archiveFault('holds a sparse file');
}
