// What admins see of the machine: its health, all users' bots, the effective settings.
import { freemem, loadavg, availableParallelism, totalmem } from 'node:os';
import type { Bot } from '../../core/domain/bot.ts';
import { mebibyte } from '../../core/domain/quota.ts';
import { heldMemoryMb, statusOf } from '../../core/domain/status.ts';
import type { Filling } from '../../core/domain/storage.ts';
import type { TaskStatus } from '../../core/domain/task-status.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { SettingStore } from '../../core/store/settings.ts';
import { type PageQuery, pageOf } from '../../core/services/page.ts';
import type { PartState, ReadinessService } from './readiness.ts';

/** An effective setting. */
export interface ShownSetting {
  name: string;
  value: string;
  meaning: string;
}

/**
 * Memory and disk in MB, the disk without what is reserved for root; `load` is the one-minute load
 * average.
 */
export interface MachineHealth {
  parts: PartState[];
  memory: { totalMb: number; freeMb: number; promisedMb: number };
  disk: { totalMb: number; freeMb: number };
  processors: number;
  load: number;
  bots: { total: number; online: number };
  uptimeSeconds: number;
  /** See ReadinessService. */
  oldestWaitSeconds: number;
  /** Empty while the agent does not answer. */
  tasks: TaskStatus[];
}

export interface BotOfAdmin {
  bot: Bot;
  ownerEmail: string;
  engineAvailable: boolean;
}

interface Deps {
  bots: BotReader;
  accounts: AccountStore;
  settings: SettingStore;
  readiness: ReadinessService;
  agent: { readonly state: { tasks?: TaskStatus[] } | undefined };
  storage: { dataDisk(): Promise<Filling> };
  shownSettings: readonly ShownSetting[];
}

export class MachineService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async health(): Promise<MachineHealth> {
    const { bots, readiness, agent, storage } = this.#deps;
    const [parts, all, disk] = [
      await readiness.inspect(),
      await bots.list({ sort: 'created' }),
      await storage.dataDisk(),
    ];
    return {
      parts,
      memory: {
        totalMb: inMb(totalmem()),
        freeMb: inMb(freemem()),
        promisedMb: all.reduce((sum, bot) => sum + heldMemoryMb(bot), 0),
      },
      disk: { totalMb: inMb(disk.used + disk.free), freeMb: inMb(disk.free) },
      processors: availableParallelism(),
      load: loadavg()[0] ?? 0,
      bots: { total: all.length, online: all.filter((bot) => statusOf(bot) === 'online').length },
      uptimeSeconds: process.uptime(),
      oldestWaitSeconds: readiness.oldestWaitSeconds,
      tasks: agent.state?.tasks ?? [],
    };
  }

  /** All users' bots, newest first: their state, not their contents. */
  async listBots(query: PageQuery): Promise<{ bots: BotOfAdmin[]; count: number; nextCursor: string | null }> {
    const { bots, accounts, settings } = this.#deps;
    const all = await bots.list({ sort: 'created' });
    const { page, nextCursor } = pageOf(all, query);
    const emails = new Map((await accounts.listUsers()).map(({ id, email }) => [id, email]));
    const engineAvailable = (await settings.engineState())?.available === true;
    const shown = page.map((bot) => ({ bot, ownerEmail: emails.get(bot.ownerId) ?? '', engineAvailable }));
    return { bots: shown, count: all.length, nextCursor };
  }

  /** A bot as in admin lists. */
  async viewOf(bot: Bot): Promise<BotOfAdmin> {
    const { accounts, settings } = this.#deps;
    const owner = await accounts.findUser({ id: bot.ownerId });
    const engineAvailable = (await settings.engineState())?.available === true;
    return { bot, ownerEmail: owner?.email ?? '', engineAvailable };
  }

  settings(): readonly ShownSetting[] {
    return this.#deps.shownSettings;
  }
}

function inMb(bytes: number): number {
  return Math.floor(bytes / mebibyte);
}
