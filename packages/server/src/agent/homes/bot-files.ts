// Every file operation on a bot's home from outside of its container. Existing files are opened
// through the walk (walk.ts); new ones are created in staging and moved in.

import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { SentFile } from '../../core/lib/sent-file.ts';
import { addAbortSignal, type Readable } from 'node:stream';
import type { ArchiveFormat } from '@botel/contract/vocabulary';
import { fail } from '../../core/domain/errors.ts';
import type { DiskUse } from '../../core/domain/quota.ts';
import { type Clock, systemClock } from '../../core/lib/clock.ts';
import { type ArchiveBounds, type ArchiveSource, archiveBounds, unpack, unpackFiles } from './archive.ts';
import { formatOf } from './archive-entry.ts';
import { pack } from './archive-writer.ts';
import { type ByteLimit, contentOf, countedBytes, limited, receivedBytes, writeContent } from './file-content.ts';
import { withFileErrors } from './file-errors.ts';
import { checkFree, checkTarget, type FileFacts, type FileWrite, factsOf, find, lastOf } from './file-target.ts';
import { HomeReader } from './home-reader.ts';
import { type FromCaller, HomeWork } from './home-work.ts';
import { HomeChanges, moveAway, moveIn, type Placing, type UploadResult } from './home-changes.ts';
import type { FileOwner, Homes } from './homes.ts';
import { chownFile } from './ownership.ts';
import { commonFolders, parsePath, withoutInner } from './safe-path.ts';
import type { Stage } from './staging.ts';
import { copyInto } from './tree-copy.ts';
import { countedFiles, entriesAt } from './tree-source.ts';
import { OwnerWork, type Work } from '../work/owner-work.ts';
import { createFile, entryPath, entryStats, makeFolder, openFile, openFolder } from './walk.ts';

/** An archive being uploaded; `limit` bounds its packed size. */
export interface ArchiveUpload extends Placing, FromCaller {
  body: Readable;
  format: ArchiveFormat;
  limit: ByteLimit;
}

/** Files sent one after the other, with names relative to the folder; `body` is what they come
 * from. */
export interface FilesUpload extends Placing, FromCaller {
  files: AsyncIterable<SentFile>;
  body?: Readable | undefined;
}

export class BotFiles {
  readonly #changes: HomeChanges;
  readonly #work: HomeWork;
  /** Reads what is there. */
  readonly reader: HomeReader;

  constructor(options: { homes: Homes; clock?: Clock; archiveBounds?: ArchiveBounds; work?: OwnerWork }) {
    this.#work = new HomeWork(options.work ?? new OwnerWork());
    this.#changes = new HomeChanges({ clock: systemClock, archiveBounds, ...options });
    this.reader = new HomeReader(this.#changes, this.#work);
  }

  /** Finishes the changes that a crash interrupted; see HomeChanges. */
  recover(): Promise<unknown[]> {
    return this.#changes.recover();
  }

  /** The bot's disk use, at most a minute old unless `counted`. */
  used(botId: string, { counted = false } = {}): Promise<DiskUse> {
    return counted ? this.#changes.meter.count(botId) : this.#changes.meter.used(botId);
  }

  /** Like `used`, when it is known without counting; else null. */
  known(botId: string): DiskUse | null {
    return this.#changes.meter.known(botId);
  }

  /** Whether the bot's files have a file system of their own. */
  isBounded(botId: string): boolean {
    return this.#changes.isBounded(botId);
  }

  /** Runs a change of the whole home while no other change of it is in progress. */
  async exclusively(botId: string, change: () => Promise<void>): Promise<void> {
    await this.#changes.lock.run(botId, change);
    this.#changes.meter.forget(botId);
  }

  /** Creates or replaces a file and its folders; 409 when a condition does not hold. */
  async write(bot: FileOwner, write: FileWrite & FromCaller): Promise<FileFacts> {
    const parts = parsePath(write.path);
    return this.#work.run(bot, { kind: 'receive', signal: write.signal }, (work) =>
      this.#write(bot, write, { parts, work }),
    );
  }

  #write(bot: FileOwner, write: FileWrite, { parts, work }: { parts: string[]; work: Work }): Promise<FileFacts> {
    addAbortSignal(work.signal, write.body);
    return withFileErrors(async () => {
      await using home = await this.#changes.open(bot);
      await checkTarget(home, parts, write);
      await using stage = await this.#changes.stage(bot);
      await using file = await createFile(stage.folder, 'file');
      const bytes = await writeContent(file, receivedBytes(write.body), write.limit);
      return await this.#changes.lock.run(bot.id, async () => {
        const before = await checkTarget(home, parts, write);
        chownFile(file, bot.uid, before ? Number(before.mode) : 0o644);
        await using folder = await openFolder(home, parts.slice(0, -1), { createFor: bot.uid });
        await rename(entryPath(stage.folder, 'file'), entryPath(folder, lastOf(parts)));
        await folder.sync();
        this.#changes.meter.add(bot.id, { bytes, files: before ? 0 : 1 });
        return factsOf(await file.stat({ bigint: true }));
      });
    });
  }

  /** Deletes files and folders, all or none. Resolves to the number of paths. */
  async delete(bot: FileOwner, paths: readonly string[]): Promise<number> {
    const targets = paths.map((path, index) => parsePath(path, `paths[${index}]`));
    return withFileErrors(async () => {
      await using home = await this.#changes.open(bot);
      await using stage = await this.#changes.stageToDelete(bot);
      await this.#changes.lock.run(bot.id, async () => {
        for (const [index, parts] of targets.entries()) {
          if (!(await withFileErrors(() => find(home, parts), `paths[${index}]`))) throw fail.fileNotFound();
        }
        for (const parts of targets) await moveAway(home, parts, { stage, name: randomUUID() });
      });
      this.#changes.meter.forget(bot.id);
      return targets.length;
    }, 'paths');
  }

  /** Creates a folder and its missing parents; rejects with 409 when the path is taken. */
  async makeFolder(bot: FileOwner, path: string): Promise<void> {
    const parts = parsePath(path);
    await withFileErrors(async () => {
      await using home = await this.#changes.open(bot);
      await this.#changes.lock.run(bot.id, async () => {
        await checkFree(home, parts, 'path');
        await using parent = await openFolder(home, parts.slice(0, -1), { createFor: bot.uid });
        await using _ = await makeFolder(parent, lastOf(parts), { uid: bot.uid, mode: 0o755 });
        await parent.sync();
      });
    });
  }

  /** Moves a file, folder or link; rejects with 409 when `to` is taken. */
  async move(bot: FileOwner, from: string, to: string): Promise<void> {
    const source = parsePath(from, 'from');
    const target = parsePath(to, 'to');
    if (to.startsWith(`${from}/`)) throw fail.invalidInput('to', 'must not be inside of what is moved');
    await withFileErrors(async () => {
      await using home = await this.#changes.open(bot);
      await this.#changes.lock.run(bot.id, async () => {
        if (!(await withFileErrors(() => find(home, source), 'from'))) throw fail.fileNotFound();
        await checkFree(home, target, 'to');
        await using folder = await withFileErrors(() => openFolder(home, source.slice(0, -1)), 'from');
        await moveIn({ folder, name: lastOf(source) }, home, { parts: target, uid: bot.uid });
        await folder.sync();
      });
    }, 'to');
  }

  /** Copies a file, link or whole folder, all or nothing; 409 when `to` is taken. */
  async copy(bot: FileOwner, copy: { from: string; to: string; disk: ByteLimit } & FromCaller): Promise<number> {
    const source = parsePath(copy.from, 'from');
    const target = parsePath(copy.to, 'to');
    const making = { from: [{ parts: source, field: 'from' }], to: target };
    return this.#work.run(bot, { kind: 'change', field: 'from', signal: copy.signal }, (work) =>
      this.#changes.makeNew(bot, making, async ({ home, stage, into }) => {
        const entries = entriesAt(home, [source], source.length - 1, work);
        const copied = await copyInto(into, entries, { uid: bot.uid, limit: copy.disk, work });
        await stage.flush();
        const name = lastOf(source);
        if (!(await entryStats(into, name))) throw fail.invalidInput('from', 'is not valid');
        return { name, ...copied };
      }),
    );
  }

  /** Packs entries into a new archive, named from their common folder; 409 like copy. */
  async compress(
    bot: FileOwner,
    input: { paths: readonly string[]; to: string; disk: ByteLimit } & FromCaller,
  ): Promise<number> {
    const from = input.paths.map((path, index) => ({
      parts: parsePath(path, `paths[${index}]`),
      field: `paths[${index}]`,
    }));
    const to = parsePath(input.to, 'to');
    const format = formatOf(input.to);
    if (!format || format === 'tar') throw fail.invalidInput('to', 'must end in .zip, .tar.gz or .tgz');
    const outer = withoutInner(from.map(({ parts }) => parts));
    return this.#work.run(bot, { kind: 'change', field: 'paths', signal: input.signal }, (work) =>
      this.#changes.makeNew(bot, { from, to }, async ({ home, into }) => {
        const entries = countedFiles(entriesAt(home, outer, commonFolders(outer), work), work);
        let files = 0;
        await using file = await createFile(into, 'archive');
        const bytes = await writeContent(
          file,
          pack(entries, format, () => files++),
          input.disk,
        );
        chownFile(file, bot.uid, 0o644);
        return { name: 'archive', files, bytes };
      }),
    );
  }

  /** Unpacks an uploaded archive into a new or existing folder. All or nothing. */
  async upload(bot: FileOwner, upload: ArchiveUpload): Promise<UploadResult> {
    return this.#work.run(bot, { kind: 'receive', field: 'archive', signal: upload.signal }, (work) => {
      addAbortSignal(work.signal, upload.body);
      return this.#changes.place(bot, upload, async ({ stage, tree, options }) => {
        if (upload.format === 'zip') return unpack(await receiveZip(stage, upload), tree, { ...options, work });
        const bytes = limited(receivedBytes(upload.body), upload.limit);
        return unpack({ format: upload.format, bytes }, tree, { ...options, work });
      });
    });
  }

  /** Puts uploaded files into a new or existing folder. All or nothing. */
  async uploadFiles(bot: FileOwner, upload: FilesUpload): Promise<UploadResult> {
    return this.#work.run(bot, { kind: 'receive', field: 'upload', signal: upload.signal }, (work) => {
      if (upload.body) addAbortSignal(work.signal, upload.body);
      return this.#changes.place(bot, upload, ({ tree, options }) =>
        unpackFiles(upload.files, tree, { ...options, work }),
      );
    });
  }

  /** Unpacks an archive of the home into `to`, all or nothing. Returns the files and links. */
  async extract(
    bot: FileOwner,
    input: { path: string; to: string; overwrite: boolean; disk: ByteLimit } & FromCaller,
  ): Promise<number> {
    const parts = parsePath(input.path);
    const format = formatOf(input.path);
    if (!format) throw fail.invalidInput('path', 'must end in .zip, .tar, .tar.gz or .tgz');
    const unpackInto = async (work: Work) => {
      await using home = await this.#changes.open(bot);
      await using folder = await openFolder(home, parts.slice(0, -1));
      const { handle, stats } = await openFile(folder, lastOf(parts));
      await using file = handle;
      // The bot may change the file meanwhile: archives are untrusted anyway.
      const archive =
        format === 'zip'
          ? { format, path: `/proc/self/fd/${file.fd}` }
          : { format, bytes: countedBytes(contentOf(file, stats), (bytes) => work.read(bytes)) };
      const placing = { ...input, path: input.to, field: 'to' as const, mirror: false };
      const placed = await this.#changes.place(bot, placing, ({ tree, options }) =>
        unpack(archive, tree, { ...options, work }),
      );
      return placed.filesWritten;
    };
    return this.#work.run(bot, { kind: 'change', field: 'archive', signal: input.signal }, (work) =>
      withFileErrors(() => unpackInto(work)),
    );
  }
}

async function receiveZip(stage: Stage, upload: ArchiveUpload): Promise<ArchiveSource> {
  await using file = await createFile(stage.folder, 'archive');
  await file.writeFile(limited(receivedBytes(upload.body), upload.limit));
  return { format: 'zip', path: join(stage.path, 'archive') };
}
