// Says when a bot's files keep it from running: over their limit it is not started, far over it is stopped. Must not stop
// anything itself, nor tell the owner (tasks/disk-levels.ts).
import type { Bot, StopReason } from '../domain/bot.ts';
import { mebibyte, mustStop } from '../domain/quota.ts';
import type { BotFiles } from '../files/bot-files.ts';
import type { Clock } from '../lib/clock.ts';
import type { UsageBook } from '../store/usage-book.ts';

interface Parts {
  book: Pick<UsageBook, 'disk' | 'noteDisk'>;
  files: Pick<BotFiles, 'usedBytes'>;
  clock: Clock;
}

export class DiskDesk {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the running bot has to be stopped, as of the last count. */
  mustStop(bot: Bot): StopReason | null {
    const usedBytes = this.#parts.book.disk(bot.id)?.bytes ?? 0;
    return mustStop({ usedBytes, limitBytes: bot.diskMb * mebibyte }) ? 'disk_full' : null;
  }

  /** Why the bot can't be started, for its owner; null when it can. Files are counted again before they are held against it. */
  async fault(bot: Bot): Promise<string | null> {
    const { book, files, clock } = this.#parts;
    const limitBytes = bot.diskMb * mebibyte;
    if ((book.disk(bot.id)?.bytes ?? 0) <= limitBytes) return null;
    const usedBytes = await files.usedBytes(bot.id, { counted: true });
    book.noteDisk(bot.id, usedBytes, clock.now());
    if (usedBytes <= limitBytes) return null;
    return `Not started: its files take ${Math.ceil(usedBytes / mebibyte)} MB of ${bot.diskMb} MB`;
  }
}
