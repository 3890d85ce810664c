// What a caller may do with the files of its bots, within its plan. Must not touch the file system itself.
import type { Readable } from 'node:stream';
import type { Caller } from '../domain/access.ts';
import type { Bot } from '../domain/bot.ts';
import { fail } from '../domain/errors.ts';
import type { ArchiveFormat } from '../files/archive.ts';
import type { BotFiles, UploadResult } from '../files/bot-files.ts';
import type { FileFacts } from '../files/file-target.ts';
import type { FileList } from '../files/folder-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountStore } from '../store/accounts.ts';
import type { BotStore } from '../store/bots.ts';
import type { BotsService } from './bots.ts';

const mebibyte = 1024 * 1024;

/** One file that is sent. `lengthBytes`: what the sender declares, null when it does not. */
export interface FileInput {
  path: string;
  body: Readable;
  lengthBytes: number | null;
  ifMatch?: string | undefined;
  onlyNew?: boolean | undefined;
}

/** An archive that is sent; see files/bot-files.ts. */
export interface ArchiveInput {
  path: string;
  body: Readable;
  lengthBytes: number | null;
  format: ArchiveFormat;
  overwrite: boolean;
  mirror: boolean;
}

interface Parts {
  bots: BotsService;
  store: BotStore;
  accounts: AccountStore;
  files: BotFiles;
  clock: Clock;
  /** Largest upload, in bytes. */
  uploadBytes: number;
}

export class FilesService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(
    caller: Caller,
    botId: string,
    query: { path: string; limit: number; cursor: string | null },
  ): Promise<FileList> {
    const bot = await this.#parts.bots.own(caller, botId);
    return this.#parts.files.list(bot, query.path, query);
  }

  /** A file's facts and bytes; the stream must be read or destroyed. */
  async read(caller: Caller, botId: string, path: string): Promise<FileFacts & { stream: Readable }> {
    const bot = await this.#parts.bots.own(caller, botId);
    return this.#parts.files.read(bot, path);
  }

  /** A folder as a zip file, null when `path` is a file; the stream must be read or destroyed. */
  async zip(caller: Caller, botId: string, path: string): Promise<{ bot: Bot; stream: Readable | null }> {
    const bot = await this.#parts.bots.own(caller, botId);
    return { bot, stream: await this.#parts.files.zip(bot, path) };
  }

  async write(caller: Caller, botId: string, input: FileInput): Promise<FileFacts> {
    const bot = await this.#parts.bots.own(caller, botId);
    const { bytesMax } = await this.#room(bot, input.lengthBytes);
    const facts = await this.#parts.files.write(bot, { ...input, bytesMax });
    await this.#touch(bot);
    return facts;
  }

  async upload(caller: Caller, botId: string, input: ArchiveInput): Promise<UploadResult> {
    const bot = await this.#parts.bots.own(caller, botId);
    const { bytesMax, freeBytes } = await this.#room(bot, null);
    const result = await this.#parts.files.upload(bot, { ...input, bytesMax, unpackedBytesMax: freeBytes });
    await this.#touch(bot);
    return result;
  }

  /** Deletes files and whole folders; resolves to the number of paths. */
  async delete(caller: Caller, botId: string, paths: string[]): Promise<number> {
    const bot = await this.#parts.bots.own(caller, botId);
    const count = await this.#parts.files.delete(bot, paths);
    await this.#touch(bot);
    return count;
  }

  /** What the owner's plan leaves for a write of `lengthBytes`; 403 when the bot's disk is full. */
  async #room(bot: Bot, lengthBytes: number | null): Promise<{ bytesMax: number; freeBytes: number }> {
    const { accounts, files, uploadBytes } = this.#parts;
    const user = await accounts.findUser({ id: bot.ownerId });
    const plan = user && (await accounts.findPlan(user.planId));
    if (!plan) throw fail.unauthorized();
    const usedBytes = await files.usedBytes(bot.id);
    const freeBytes = plan.diskMb * mebibyte - usedBytes;
    if (freeBytes <= 0 || (lengthBytes ?? 0) > freeBytes) {
      throw fail.diskLimit(Math.ceil(usedBytes / mebibyte), plan.diskMb);
    }
    return { bytesMax: uploadBytes, freeBytes };
  }

  #touch(bot: Bot): Promise<void> {
    return this.#parts.store.touch(bot.id, this.#parts.clock.now());
  }
}
