// The admin's overview: memory reserved and used, top consumers, and failures within a day.
import type { Bot } from '../../core/domain/bot.ts';
import { heldMemoryMb, statusOf } from '../../core/domain/status.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Failures, RunStore } from '../../core/store/runs.ts';
import type { UsageCache } from '../../core/store/usage-cache.ts';

const dayMs = 24 * 60 * 60 * 1000;
const maxShown = 10;

/** A bot and its owner. */
export interface Owned {
  bot: Bot;
  ownerEmail: string;
}

/** Memory in bytes; CPU in percent of the bot's allowance, null until it was sampled twice. */
export interface Consumer extends Owned {
  memoryBytes: number;
  cpuPercent: number | null;
}

/** A bot's failed runs within a day; `at`: time of the last one, in ms. */
interface FailedBot extends Owned {
  failures: Failures;
}

export interface Overview {
  promisedMb: number;
  usedBytes: number;
  bots: { total: number; online: number; suspended: number };
  users: { total: number; suspended: number };
  consumers: Consumer[];
  failed: FailedBot[];
  failures: number;
}

interface Deps {
  bots: BotReader;
  accounts: AccountStore;
  runs: Pick<RunStore, 'failuresSince'>;
  usageCache: Pick<UsageCache, 'sample'>;
  clock: Clock;
}

export class OverviewService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async read(): Promise<Overview> {
    const { bots, accounts, runs, clock } = this.#deps;
    const [all, users, failures] = [
      await bots.list({ sort: 'created' }),
      await accounts.listUsers(),
      await runs.failuresSince(clock.now() - dayMs),
    ];
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    const owned = (bot: Bot): Owned => ({ bot, ownerEmail: emails.get(bot.ownerId) ?? '' });
    const byId = new Map(all.map((bot) => [bot.id, bot]));
    const online = all.filter((bot) => statusOf(bot) === 'online');
    const consumers = online.flatMap((bot) => this.#consumer(owned(bot)));
    const failed = failures.flatMap((each) => {
      const bot = byId.get(each.botId);
      return bot ? [{ ...owned(bot), failures: each }] : [];
    });
    return {
      promisedMb: all.reduce((sum, bot) => sum + heldMemoryMb(bot), 0),
      usedBytes: consumers.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
      bots: {
        total: all.length,
        online: online.length,
        suspended: all.filter(({ suspension }) => suspension !== null).length,
      },
      users: { total: users.length, suspended: users.filter(({ suspended }) => suspended).length },
      consumers: consumers.toSorted((one, other) => other.memoryBytes - one.memoryBytes).slice(0, maxShown),
      failed: failed.toSorted((one, other) => other.failures.count - one.failures.count).slice(0, maxShown),
      failures: failed.reduce((sum, each) => sum + each.failures.count, 0),
    };
  }

  #consumer(owned: Owned): Consumer[] {
    const sample = this.#deps.usageCache.sample(owned.bot.id, owned.bot.observed.run);
    return sample ? [{ ...owned, memoryBytes: sample.memoryBytes, cpuPercent: sample.cpuPercent }] : [];
  }
}
