// Parses zip files. Names and sizes are untrusted; a wrong checksum or length is an error.
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { type ArchiveEntry, archiveFault } from './archive-entry.ts';

const fileTypeMask = 0o170000;
const targetMaxBytes = 4096;
const kinds = new Map<number, ArchiveEntry['kind']>([
  [0, 'file'],
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/** Entries of a zip file of Botel's own. Rejects when it is damaged or has too many. */
export async function* zipEntries(path: string, entriesMax: number): AsyncGenerator<ArchiveEntry> {
  const zip = await yauzl.openPromise(path, { decodeStrings: false, validateEntrySizes: true, autoClose: false });
  try {
    if (zip.entryCount > entriesMax) throw archiveFault(`holds more than ${entriesMax} entries`);
    for await (const entry of zip.eachEntry()) yield await toArchiveEntry(zip, entry);
  } finally {
    zip.close();
  }
}

async function toArchiveEntry(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<ArchiveEntry> {
  if (!entry.canDecodeFileData()) throw archiveFault('holds an entry that is encrypted or packed in an unknown way');
  const name = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  // Only archives created on Unix (3) or macOS (19) carry a Unix mode.
  const madeOn = entry.versionMadeBy >>> 8;
  const isUnix = madeOn === 3 || madeOn === 19;
  const mode = isUnix ? entry.externalFileAttributes >>> 16 : 0;
  // There it is an ordinary character; elsewhere it may be a separator of folders.
  if (!isUnix && name.includes('\\')) throw archiveFault('holds a name that is not valid');
  const kind = name.endsWith('/') ? 'folder' : (kinds.get(mode & fileTypeMask) ?? 'other');
  return {
    name,
    kind,
    mode: mode === 0 ? null : mode & 0o7777,
    modifiedAt: entry.getLastModDate(),
    target: kind === 'link' ? await readTarget(zip, entry) : '',
    size: entry.uncompressedSize,
    content: () => checkedContent(zip, entry),
  };
}

async function readTarget(zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<string> {
  if (entry.uncompressedSize > targetMaxBytes) throw archiveFault('holds a link that is too long');
  const chunks: Buffer[] = [];
  for await (const chunk of checkedContent(zip, entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* checkedContent(zip: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  let checksum = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (checksum !== entry.crc32) throw archiveFault('is damaged: a checksum does not match');
}
