// Keeps a bot over its disk limit from starting, and stops one far over it.
import type { Bot, StopReason } from '../../core/domain/bot.ts';
import { filesLimit, isOfFiles, isOverLimit, mebibyte, mustStop } from '../../core/domain/quota.ts';
import type { BotFiles } from '../homes/bot-files.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';

interface Deps {
  usageCache: Pick<UsageCache, 'disk' | 'noteDisk'>;
  files: Pick<BotFiles, 'used'>;
  clock: Clock;
}

export class DiskQuotaCheck {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether the running bot must be stopped, by the last count. */
  mustStop(bot: Bot): StopReason | null {
    const use = this.#deps.usageCache.disk(bot.id);
    return use && mustStop(use, bot.diskMb) ? 'disk_full' : null;
  }

  /** Why the bot can't be started, for its owner, after a fresh count; null when it can. */
  async fault(bot: Bot): Promise<string | null> {
    const { usageCache, files, clock } = this.#deps;
    const last = usageCache.disk(bot.id);
    if (!last || !isOverLimit(last, bot.diskMb)) return null;
    const use = await files.used(bot.id, { counted: true });
    usageCache.noteDisk(bot.id, use, clock.now());
    if (!isOverLimit(use, bot.diskMb)) return null;
    if (isOfFiles(use, bot.diskMb)) return `Not started: it has ${use.files} of ${filesLimit(bot.diskMb)} files`;
    return `Not started: its files take ${Math.ceil(use.bytes / mebibyte)} MB of ${bot.diskMb} MB`;
  }
}
