// Writes tar streams. archive-writer.ts chooses the entries and their names.
import { Header, Pax } from 'tar';
import type { PackedEntry } from './archive-entry.ts';

const blockBytes = 512;
const padding = Buffer.alloc(64 * 1024);

/** `hard-link`: `target` is the name of an earlier file of the same archive. */
export type TarEntry = Omit<PackedEntry, 'kind'> & { kind: PackedEntry['kind'] | 'hard-link' };

/** A tar stream of `entries`; a file that became shorter is padded with zeros. */
export async function* tarOf(entries: AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    yield* headersOf(entry);
    if (entry.kind !== 'file') continue;
    let left = Number(entry.stats.size);
    for await (const chunk of entry.content()) {
      left -= chunk.length;
      yield chunk;
    }
    yield* zeros(left + ((blockBytes - (Number(entry.stats.size) % blockBytes)) % blockBytes));
  }
  yield* zeros(2 * blockBytes);
}

const types = { file: 'File', folder: 'Directory', link: 'SymbolicLink', 'hard-link': 'Link' } as const;

function* headersOf({ name, kind, stats, target }: TarEntry): Generator<Buffer> {
  const fields = {
    path: kind === 'folder' ? `${name}/` : name,
    ...((kind === 'link' || kind === 'hard-link') && { linkpath: target }),
    type: types[kind],
    mode: Number(stats.mode & 0o777n),
    uid: 0,
    gid: 0,
    size: kind === 'file' ? Number(stats.size) : 0,
    mtime: stats.mtime.getTime() > 0 ? stats.mtime : new Date(0),
  };
  const header = new Header(fields);
  // Names that are long or not ASCII need an extended header.
  if (header.encode()) yield new Pax(fields).encode();
  yield header.block as Buffer;
}

function* zeros(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= padding.length) yield padding.subarray(0, Math.min(left, padding.length));
}
