// Packs entries of a home. Skips what the format can't represent and unpacking would refuse.
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type PackedEntry, utf8Text } from './archive-entry.ts';
import { isInnerTarget } from './safe-path.ts';
import { tarOf } from './tar-writer.ts';
import type { Work } from '../work/owner-work.ts';
import { countedFiles, entriesBelow, type SourceEntry } from './tree-source.ts';
import { zipOf } from './zip-writer.ts';

const zipNameBytes = 0xffff;

/** A zip file of everything below `root`, which is closed with the stream. */
export function zipFolder(root: FileHandle, work: Work): Readable {
  const entries = countedFiles(entriesBelow(root, work), work);
  const output = Readable.from(zipOf(packable(entries, 'zip')), { objectMode: false });
  // Not closed by the generators: those of a stream that is never read never begin.
  output.once('close', () => root.close().catch((error) => output.destroy(error)));
  return output;
}

/** The bytes of an archive of `entries`; `added` is called for each file and link in it. */
export function pack(
  entries: AsyncIterable<SourceEntry>,
  format: 'zip' | 'tar.gz',
  added: () => void,
): AsyncIterable<Buffer> {
  async function* counted(): AsyncGenerator<PackedEntry> {
    for await (const entry of packable(entries, format)) {
      if (entry.kind !== 'folder') added();
      yield entry;
    }
  }
  if (format === 'zip') return zipOf(counted());
  // The reader gets failures from the last stream; nothing is left to do here.
  return pipeline(tarOf(counted()), createGzip(), () => undefined);
}

async function* packable(entries: AsyncIterable<SourceEntry>, format: 'zip' | 'tar.gz'): AsyncGenerator<PackedEntry> {
  for await (const entry of entries) {
    const parts = entry.path.map(utf8Text);
    const target = utf8Text(entry.target);
    if (!parts.every((part) => part !== null) || target === null) continue;
    if (entry.kind === 'link' && !isInnerTarget(parts, target)) continue;
    const name = parts.join('/');
    if (format === 'zip' && !isZipName(name)) continue;
    yield { ...entry, name, target };
  }
}

/** False for names that would lead out of the target folder on a system with `\` and drives. */
function isZipName(name: string): boolean {
  if (/^[A-Za-z]:|^\\/.test(name) || name.split(/[\\/]/).includes('..')) return false;
  return Buffer.byteLength(name) < zipNameBytes;
}
