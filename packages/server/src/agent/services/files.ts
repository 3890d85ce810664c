// Operations on the files of a caller's bots, within the plan.
import type { Readable } from 'node:stream';
import type { ArchiveFormat } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { BotLocks } from '../../core/domain/backup.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { BotelError, fail, limitError } from '../../core/domain/errors.ts';
import { filesLimit, mebibyte } from '../../core/domain/quota.ts';
import type { SentFile } from '../../core/lib/sent-file.ts';
import type { BotFiles } from '../homes/bot-files.ts';
import type { OpenedFile, ReadOptions } from '../homes/home-reader.ts';
import type { FromCaller } from '../homes/home-work.ts';
import type { ByteLimit } from '../homes/file-content.ts';
import type { FileFacts } from '../homes/file-target.ts';
import type { FileList } from '../homes/folder-list.ts';
import type { UploadResult } from '../homes/home-changes.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { BotStore } from '../../core/store/bots.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';
import type { BotsService } from '../../core/services/bots.ts';

/** One uploaded file. `lengthBytes` is the declared length, or null. */
export interface FileInput extends FromCaller {
  path: string;
  body: Readable;
  lengthBytes: number | null;
  ifMatch?: string | undefined;
  onlyNew?: boolean | undefined;
}

/** An upload into the folder `path`; see agent/homes/home-changes.ts. */
interface PlacedInput extends FromCaller {
  path: string;
  lengthBytes: number | null;
  overwrite: boolean;
  mirror: boolean;
}

/** An uploaded archive. */
export interface ArchiveInput extends PlacedInput {
  body: Readable;
  format: ArchiveFormat;
}

/** Files uploaded one after the other. */
export interface FilesInput extends PlacedInput {
  files: AsyncIterable<SentFile>;
  /** What they come from. */
  body?: Readable | undefined;
}

/** What a plan allows: for a request body, and for writes to the disk. */
interface Room {
  body: ByteLimit;
  disk: ByteLimit;
}

interface Deps {
  bots: BotsService;
  store: BotStore;
  accounts: AccountStore;
  files: BotFiles;
  usageCache: Pick<UsageCache, 'noteDisk' | 'outdateDisk'>;
  storage: Pick<HostStorage, 'level' | 'refuseIfFull'>;
  locks: BotLocks;
  clock: Clock;
  /** Largest upload, in bytes. */
  uploadBytes: number;
}

export class FilesService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async list(
    caller: Caller,
    botId: string,
    query: { path: string; limit: number; cursor: string | null } & FromCaller,
  ): Promise<FileList> {
    const bot = await this.#deps.bots.own(caller, botId);
    return this.#deps.files.reader.list(bot, query.path, query);
  }

  /** A file, or the range that `choose` returns; the stream must be read or destroyed. */
  async read(caller: Caller, botId: string, path: string, options?: ReadOptions): Promise<OpenedFile> {
    const bot = await this.#deps.bots.own(caller, botId);
    return this.#deps.files.reader.read(bot, path, options);
  }

  /** A folder as a zip file, null when `path` is a file; the stream must be read or destroyed. */
  async zip(
    caller: Caller,
    botId: string,
    path: string,
    options?: FromCaller,
  ): Promise<{ bot: Bot; stream: Readable | null }> {
    const bot = await this.#deps.bots.own(caller, botId);
    return { bot, stream: await this.#deps.files.reader.zip(bot, path, options) };
  }

  /** Creates or replaces one file. */
  write(caller: Caller, botId: string, input: FileInput): Promise<FileFacts> {
    const { lengthBytes } = input;
    return this.#grow(caller, botId, { lengthBytes, writtenBytes: lengthBytes }, (bot, { body, disk }) => {
      const ofFile = { bytes: body.bytes, error: () => fail.fileTooLarge(Math.floor(body.bytes / mebibyte)) };
      return this.#deps.files.write(bot, { ...input, limit: body.bytes <= disk.bytes ? ofFile : disk });
    });
  }

  /** Unpacks an uploaded archive. */
  upload(caller: Caller, botId: string, input: ArchiveInput): Promise<UploadResult> {
    return this.#grow(caller, botId, { lengthBytes: input.lengthBytes }, (bot, { body, disk }) =>
      this.#deps.files.upload(bot, { ...input, limit: body, disk }),
    );
  }

  /** Puts files into a folder, all or nothing. */
  uploadFiles(caller: Caller, botId: string, input: FilesInput): Promise<UploadResult> {
    return this.#grow(caller, botId, { lengthBytes: input.lengthBytes }, (bot, { body, disk }) =>
      this.#deps.files.uploadFiles(bot, { ...input, disk: body.bytes <= disk.bytes ? body : disk }),
    );
  }

  makeFolder(caller: Caller, botId: string, path: string): Promise<void> {
    return this.#grow(caller, botId, {}, (bot) => this.#deps.files.makeFolder(bot, path));
  }

  /** Copies a file or a whole folder; resolves to the number of files and links. */
  copy(caller: Caller, botId: string, input: { from: string; to: string } & FromCaller): Promise<number> {
    return this.#grow(caller, botId, {}, (bot, { disk }) => this.#deps.files.copy(bot, { ...input, disk }));
  }

  /** Packs into a new archive; resolves to the number of files and links in it. */
  compress(caller: Caller, botId: string, input: { paths: string[]; to: string } & FromCaller): Promise<number> {
    return this.#grow(caller, botId, {}, (bot, { disk }) => this.#deps.files.compress(bot, { ...input, disk }));
  }

  /** Unpacks an archive of the home; resolves to the number of files and links. */
  extract(
    caller: Caller,
    botId: string,
    input: { path: string; to: string; overwrite: boolean } & FromCaller,
  ): Promise<number> {
    return this.#grow(caller, botId, {}, (bot, { disk }) => this.#deps.files.extract(bot, { ...input, disk }));
  }

  /** Moves a file or folder to another path. */
  async move(caller: Caller, botId: string, { from, to }: { from: string; to: string }): Promise<void> {
    const bot = await this.#ownToChange(caller, botId);
    await this.#deps.files.move(bot, from, to);
    await this.#touch(bot);
  }

  /** Deletes files and whole folders; resolves to the number of paths. */
  async delete(caller: Caller, botId: string, paths: string[]): Promise<number> {
    const bot = await this.#ownToChange(caller, botId);
    const count = await this.#deps.files.delete(bot, paths);
    await this.#touch(bot);
    return count;
  }

  async #ownToChange(caller: Caller, botId: string): Promise<Bot> {
    const bot = await this.#deps.bots.own(caller, botId);
    if (this.#deps.locks.holder(bot.id) === 'restoring') throw fail.botBusy('restoring');
    return bot;
  }

  /** Runs a change that takes space, within the plan. */
  async #grow<T>(
    caller: Caller,
    botId: string,
    declared: { lengthBytes?: number | null; writtenBytes?: number | null },
    change: (bot: Bot, room: Room) => Promise<T>,
  ): Promise<T> {
    const bot = await this.#ownToChange(caller, botId);
    await this.#deps.storage.refuseIfFull();
    const room = await this.#room(bot);
    if ((declared.lengthBytes ?? 0) > room.body.bytes) throw room.body.error();
    if (room.disk.bytes <= 0 || (declared.writtenBytes ?? 0) > room.disk.bytes) throw room.disk.error();
    const result = await change(bot, room).catch(async (error) => {
      throw await this.#whoseFault(bot, error);
    });
    await this.#touch(bot);
    return result;
  }

  /** A full disk is the bot's own limit when that is an image and the machine has room. */
  async #whoseFault(bot: Bot, error: unknown): Promise<unknown> {
    const { files, storage } = this.#deps;
    const isFull = error instanceof BotelError && error.code === 'storage_full';
    if (!isFull || !files.isBounded(bot.id) || (await storage.level()) === 'full') return error;
    return limitError(await files.used(bot.id, { counted: true }), bot.diskMb);
  }

  async #room(bot: Bot): Promise<Room> {
    const { accounts, files, uploadBytes } = this.#deps;
    const plan = await accounts.findPlanOf(bot.ownerId);
    if (!plan) throw fail.unauthorized();
    const use = await files.used(bot.id);
    const bodyBytes = Math.min(uploadBytes, plan.uploadMb * mebibyte);
    return {
      body: { bytes: bodyBytes, error: () => fail.bodyTooLarge(Math.floor(bodyBytes / mebibyte)) },
      disk: {
        bytes: use.files < filesLimit(bot.diskMb) ? bot.diskMb * mebibyte - use.bytes : 0,
        error: () => limitError(use, bot.diskMb),
      },
    };
  }

  /** Notes that the bot's files have changed. */
  #touch(bot: Bot): Promise<void> {
    const { files, usageCache, store, clock } = this.#deps;
    const use = files.known(bot.id);
    if (use) usageCache.noteDisk(bot.id, use, clock.now());
    usageCache.outdateDisk(bot.id);
    return store.touch(bot.id, clock.now());
  }
}
