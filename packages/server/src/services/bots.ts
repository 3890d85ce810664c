// What a caller may do with its bots. Writes wishes in one transaction each and returns; must never call the engine.
import { type Caller, ownBot } from '../domain/access.ts';
import type { Bot } from '../domain/bot.ts';
import { readEnvironment } from '../domain/environment.ts';
import { fail } from '../domain/errors.ts';
import { type Language, runtimeVersions } from '../domain/languages.ts';
import { availableMb } from '../domain/quota.ts';
import {
  deleteDisposition,
  type Disposition,
  isWaiting,
  killDisposition,
  restartDisposition,
  startDisposition,
  type Status,
  statusOf,
  stopDisposition,
} from '../domain/status.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, isUuid } from '../lib/ids.ts';
import type { AccountStore } from '../store/accounts.ts';
import type { App, AppStore } from '../store/apps.ts';
import type { BotSort, BotStore } from '../store/bots.ts';
import type { Database } from '../store/database.ts';
import type { SettingStore } from '../store/settings.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A bot with everything that is shown beside it. */
export interface BotView {
  bot: Bot;
  app: App | null;
  appsDomain: string;
  restarts24h: number;
  engineAvailable: boolean;
  /** When it was read, ms since the epoch. */
  now: number;
}

export interface NewBotInput {
  name: string;
  language: Language;
  memoryMb: number;
  startupCommand: string;
  environment: Record<string, unknown>;
}

/** One page of a list; `cursor` is opaque. */
export interface BotPageQuery {
  limit: number;
  cursor?: string | undefined;
  status?: Status | undefined;
  nameContains?: string | undefined;
  sort: BotSort;
}

/** What came of a lifecycle call: the bot, its status for the answer, and whether it only waited for a restart. */
export interface Accepted {
  bot: Bot;
  status: Status;
  wasWaiting: boolean;
}

interface Parts {
  database: Database;
  bots: BotStore;
  accounts: AccountStore;
  apps: AppStore;
  settings: SettingStore;
  clock: Clock;
  ids: Ids;
  appsDomain: string;
  stopGraceSeconds: number;
}

export class BotsService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reserves the memory and stores the bot, offline. Memory is checked before the number of bots. */
  async create(caller: Caller, input: NewBotInput): Promise<Bot> {
    const read = readEnvironment(input.environment);
    if ('fault' in read)
      throw fail.invalidInput(read.key === null ? 'environment' : `environment.${read.key}`, read.fault);
    const { database, accounts, bots, clock, ids } = this.#parts;
    return database.transaction(async () => {
      await accounts.lockReservations(caller.userId);
      await this.#checkPlan(caller, input.memoryMb);
      const now = clock.now();
      return bots.insert({
        id: ids.uuid(),
        ownerId: caller.userId,
        name: input.name,
        language: input.language,
        memoryMb: input.memoryMb,
        startupCommand: input.startupCommand,
        environment: read.environment,
        runtimeVersion: runtimeVersions[input.language][0],
        restartPolicy: { mode: 'on-failure', maxRetries: null, backoffMaxSeconds: 300 },
        stop: { signal: 'SIGTERM', graceSeconds: this.#parts.stopGraceSeconds },
        wish: { desired: 'stopped', generation: 0, kill: false, graceSeconds: null },
        createdAt: now,
        updatedAt: now,
      });
    });
  }

  start(caller: Caller, botId: string): Promise<Accepted> {
    return this.#wish(caller, botId, startDisposition);
  }

  restart(caller: Caller, botId: string): Promise<Accepted> {
    return this.#wish(caller, botId, restartDisposition);
  }

  /** `graceSeconds` null = the bot's own. */
  stop(caller: Caller, botId: string, graceSeconds: number | null): Promise<Accepted> {
    return this.#wish(caller, botId, stopDisposition, { graceSeconds });
  }

  kill(caller: Caller, botId: string): Promise<Accepted> {
    return this.#wish(caller, botId, killDisposition, { kill: true });
  }

  /** The bot disappears for its owner at once; the rest of the work follows. Returns the time (ms). */
  async delete(caller: Caller, botId: string, force: boolean): Promise<{ bot: Bot; deletedAt: number }> {
    const accepted = await this.#wish(caller, botId, (bot) => deleteDisposition(bot, force), { kill: force });
    return { bot: accepted.bot, deletedAt: this.#parts.clock.now() };
  }

  /** The caller's bot; a malformed, unknown or foreign id fails alike. */
  async own(caller: Caller, botId: string): Promise<Bot> {
    return ownBot(caller, isUuid(botId) ? await this.#parts.bots.find(botId.toLowerCase()) : null);
  }

  async view(caller: Caller, botId: string): Promise<BotView> {
    return this.viewOf(await this.own(caller, botId));
  }

  async viewOf(bot: Bot): Promise<BotView> {
    const { bots, apps, settings, clock } = this.#parts;
    const now = clock.now();
    const [app, restarts24h, engine] = await Promise.all([
      apps.ofBot(bot.id),
      // A bot that was never restarted by itself has no runs to count.
      bot.observed.run > 1 ? bots.restartsSince(bot.id, now - dayMs) : 0,
      settings.engineState(),
    ]);
    return {
      bot,
      app,
      restarts24h,
      engineAvailable: engine?.available ?? true,
      appsDomain: this.#parts.appsDomain,
      now,
    };
  }

  /** One page of the caller's bots; `count` is the total over all pages. */
  async list(
    caller: Caller,
    query: BotPageQuery,
  ): Promise<{ views: BotView[]; count: number; nextCursor: string | null }> {
    const all = await this.#parts.bots.list({
      ownerId: caller.userId,
      nameContains: query.nameContains,
      sort: query.sort,
    });
    const matching = query.status ? all.filter((bot) => statusOf(bot) === query.status) : all;
    const after = query.cursor ? decodeCursor(query.cursor) : null;
    const start = after === null ? 0 : matching.findIndex((bot) => bot.id === after) + 1;
    if (after !== null && start === 0) throw fail.invalidInput('cursor', 'is not valid');
    const page = matching.slice(start, start + query.limit);
    const last = page.at(-1);
    return {
      views: await Promise.all(page.map((bot) => this.viewOf(bot))),
      count: matching.length,
      nextCursor: last && start + page.length < matching.length ? Buffer.from(last.id).toString('base64url') : null,
    };
  }

  async #checkPlan(caller: Caller, memoryMb: number): Promise<void> {
    const { accounts, bots } = this.#parts;
    const user = await accounts.findUser({ id: caller.userId });
    const plan = user && (await accounts.findPlan(user.planId));
    if (!plan) throw fail.unauthorized();
    const reserved = await bots.reserved(caller.userId);
    const available = availableMb(plan.memoryMb, reserved.memoryMb);
    if (memoryMb > available) throw fail.insufficientMemory(memoryMb, available);
    if (reserved.bots >= plan.bots) throw fail.planLimit(reserved.bots, plan.bots, 'bots');
  }

  #wish(
    caller: Caller,
    botId: string,
    disposition: (bot: Bot) => Disposition,
    how: { kill?: boolean; graceSeconds?: number | null } = {},
  ): Promise<Accepted> {
    const { database, bots, clock } = this.#parts;
    return database.transaction(async () => {
      const bot = await this.own(caller, botId);
      const decided = disposition(bot);
      if (decided.kind === 'conflict') throw fail.conflict(decided.code);
      const wasWaiting = isWaiting(bot);
      if (decided.kind === 'nothing') return { bot, status: statusOf(bot), wasWaiting };
      const wish = {
        desired: decided.desired,
        generation: bot.wish.generation + 1,
        kill: how.kill ?? false,
        graceSeconds: how.graceSeconds ?? null,
      };
      await bots.wish(bot.id, wish, clock.now());
      return { bot, status: statusOf({ ...bot, wish }), wasWaiting };
    });
  }
}

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw fail.invalidInput('cursor', 'is not valid');
  return id;
}
