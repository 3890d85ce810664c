// Reads a bot's files from outside of its container: listings, content, folders as zip files.
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../core/lib/byte-range.ts';
import { zipFolder } from './archive-writer.ts';
import { streamOf } from './file-content.ts';
import { withFileErrors } from './file-errors.ts';
import { type FileFacts, factsOf, lastOf } from './file-target.ts';
import { type FileList, listFolder } from './folder-list.ts';
import type { HomeChanges } from './home-changes.ts';
import type { FromCaller, HomeWork } from './home-work.ts';
import type { FileOwner } from './homes.ts';
import { parseFolderPath, parsePath } from './safe-path.ts';
import { entryStats, openFile, openFolder } from './walk.ts';

/** A file being read; `range` is the part of it that `stream` yields. */
export interface OpenedFile extends FileFacts {
  range: ByteRange;
  stream: Readable;
}

export interface ReadOptions extends FromCaller {
  /** The range to read; may throw. All of it without. */
  choose?: ((facts: FileFacts) => ByteRange) | undefined;
}

export class HomeReader {
  readonly #changes: Pick<HomeChanges, 'open'>;
  readonly #work: HomeWork;

  constructor(changes: Pick<HomeChanges, 'open'>, work: HomeWork) {
    this.#changes = changes;
    this.#work = work;
  }

  /** Entries of a folder ('' = the home) in the byte order of their names. */
  async list(
    bot: FileOwner,
    path: string,
    page: { limit: number; cursor: string | null } & FromCaller,
  ): Promise<FileList> {
    const parts = parseFolderPath(path);
    return this.#work.run(bot, { kind: 'list', signal: page.signal }, (work) =>
      withFileErrors(async () => {
        await using home = await this.#changes.open(bot);
        await using folder = await openFolder(home, parts);
        return await listFolder(folder, page, work);
      }),
    );
  }

  /** A file or a range of it; read or destroy the stream. */
  async read(bot: FileOwner, path: string, { choose = wholeOf, signal }: ReadOptions = {}): Promise<OpenedFile> {
    const parts = parsePath(path);
    return this.#work.stream(bot, { kind: 'download', signal }, (work) =>
      withFileErrors(async () => {
        await using home = await this.#changes.open(bot);
        await using folder = await openFolder(home, parts.slice(0, -1));
        const { handle, stats } = await openFile(folder, lastOf(parts));
        try {
          const facts = factsOf(stats);
          const range = choose(facts);
          work.signal.throwIfAborted();
          return { ...facts, range, stream: streamOf(handle, range) };
        } catch (error) {
          await handle.close();
          throw error;
        }
      }),
    );
  }

  /** A folder as a zip file, null when it is a file; the stream must be read or destroyed. */
  async zip(bot: FileOwner, path: string, { signal }: FromCaller = {}): Promise<Readable | null> {
    const parts = parseFolderPath(path);
    const { stream } = await this.#work.stream(bot, { kind: 'zip', signal }, (work) =>
      withFileErrors(async () => {
        await using home = await this.#changes.open(bot);
        await using parent = await openFolder(home, parts.slice(0, -1));
        if (parts.length > 0 && (await entryStats(parent, lastOf(parts)))?.isFile()) return { stream: null };
        return { stream: zipFolder(await openFolder(home, parts), work) };
      }),
    );
    return stream;
  }
}

function wholeOf({ sizeBytes }: FileFacts): ByteRange {
  return { start: 0, length: sizeBytes };
}
