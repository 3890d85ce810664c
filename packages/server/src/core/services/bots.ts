// What callers may do with their bots: each call writes the desired state and returns.
import type { BotStatus, Language, Phase } from '@botel/contract/vocabulary';
import { type Caller, ownBot } from '../domain/access.ts';
import type { Bot } from '../domain/bot.ts';
import { readEnvironment } from '../domain/environment.ts';
import { type BotelError, fail, limitError } from '../domain/errors.ts';
import { appEvent, type NewEvent, readEvent, updateEvent, lifecycleEvent } from '../domain/event.ts';
import { languageDefinitions } from '../domain/languages/languages.ts';
import { readPackages } from '../domain/packages.ts';
import { availableMb, type DiskUse, filesLimit, isOverLimit, mebibyte } from '../domain/quota.ts';
import {
  decideDelete,
  type LifecycleDecision,
  isWaiting,
  decideKill,
  phaseOf,
  decideReinstall,
  decideRestart,
  decideStart,
  statusOf,
  decideStop,
} from '../domain/status.ts';
import type { UsageSample } from '../domain/usage.ts';
import type { HostStorage } from '../data-folder/host-storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { AgentClient } from '../link/agent-client.ts';
import { type Ids, isUuid } from '../lib/ids.ts';
import type { AccountStore } from '../store/accounts.ts';
import type { AppStore } from '../store/apps.ts';
import type { BotSort } from '../store/bot-reader.ts';
import type { BotChange } from '../store/bot-rows.ts';
import type { BotStore, NewBot } from '../store/bots.ts';
import type { Database } from '../store/database.ts';
import type { EventStore } from '../store/events.ts';
import type { RunStore } from '../store/runs.ts';
import type { SettingStore } from '../store/settings.ts';
import type { UsageCache } from '../store/usage-cache.ts';
import { type PageQuery, pageOf } from './page.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/** A bot with the data shown beside it. */
export interface BotView {
  bot: Bot;
  /** Current phase. */
  phase: Phase | null;
  /** URL of apps, with `*` for the name. */
  appsUrl: string;
  restarts24h: number;
  engineAvailable: boolean;
  /** The newest sample of the current run; null when it is not online or not sampled yet. */
  usage: UsageSample | null;
  /** `use` is null until the first count. */
  disk: { use: DiskUse | null; limitBytes: number; limitFiles: number };
  /** Time of reading, in ms since the epoch. */
  now: number;
}

export interface NewBotInput {
  name: string;
  language: Language;
  memoryMb: number;
  startupCommand: string;
  /** Null = the language's default. */
  buildCommand: string | null;
  environment: Record<string, unknown>;
}

/** All settings of a bot before it is stored. */
export type CompleteBot = Omit<NewBot, 'ownerId' | 'desired' | 'createdAt' | 'updatedAt'>;

export interface BotPageQuery extends PageQuery {
  status?: BotStatus | undefined;
  nameContains?: string | undefined;
  sort: BotSort;
}

/** `status` is for the answer; `wasWaiting`: the bot was only waiting for a restart. */
export interface Accepted {
  bot: Bot;
  status: BotStatus;
  wasWaiting: boolean;
}

interface Deps {
  database: Database;
  bots: BotStore;
  runs: Pick<RunStore, 'restartsSince'>;
  accounts: AccountStore;
  apps: AppStore;
  settings: SettingStore;
  usageCache: Pick<UsageCache, 'sample' | 'disk' | 'noteDisk'>;
  /** Current disk usage of the bot's files. */
  diskUse(botId: string): Promise<DiskUse>;
  storage: Pick<HostStorage, 'refuseIfFull'>;
  events: Pick<EventStore, 'add' | 'addOrCount'>;
  clock: Clock;
  ids: Ids;
  /** Whether the agent answers, and its work on a bot's files. */
  agent: Pick<AgentClient, 'answers' | 'workOn'>;
  /** URL of apps, with `*` for the name. */
  appsUrl: string;
  stopGraceSeconds: number;
  /** Debian packages that bots may ask for. */
  packages: readonly string[];
}

export class BotsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Debian packages that bots may ask for. */
  get allowedPackages(): readonly string[] {
    return this.#deps.packages;
  }

  /** Reserves the memory and stores the bot, offline. Checks memory before the number of bots. */
  async create(caller: Caller, input: NewBotInput): Promise<Bot> {
    const complete = {
      ...input,
      id: this.#deps.ids.uuid(),
      environment: checkedEnvironment(input.environment),
      runtimeVersion: languageDefinitions[input.language].versions[0],
      restartPolicy: { mode: 'on-failure', maxRetries: null, backoffMaxSeconds: 300 } as const,
      stop: { signal: 'SIGTERM', graceSeconds: this.#deps.stopGraceSeconds } as const,
      packages: [],
      network: 'internet' as const,
      stdin: false,
    };
    return this.add(caller, complete, { type: 'bot.created', message: `Bot "${input.name}" was created` });
  }

  /** Takes the room for a new bot, which `add` with the same id replaces; resolves to its uid. */
  async reserve(caller: Caller, botId: string, memoryMb: number): Promise<number> {
    const { database, accounts, bots, clock } = this.#deps;
    return database.transaction(async () => {
      await accounts.lockReservations(caller.userId);
      await this.#checkPlan(caller, memoryMb);
      await bots.reserve({ botId, ownerId: caller.userId, memoryMb }, clock.now());
      return bots.reserveUid();
    });
  }

  /** Like `create`, from complete and validated settings. */
  async add(caller: Caller, settings: CompleteBot, event: NewEvent): Promise<Bot> {
    const { database, accounts, bots, storage, clock } = this.#deps;
    await storage.refuseIfFull();
    return database.transaction(async () => {
      await accounts.lockReservations(caller.userId);
      await bots.release(settings.id);
      await this.#checkPlan(caller, settings.memoryMb);
      const now = clock.now();
      const bot = await bots.insert({
        ...settings,
        ownerId: caller.userId,
        desired: { state: 'stopped', generation: 0, kill: false, graceSeconds: null },
        createdAt: now,
        updatedAt: now,
      });
      await this.#record(caller, bot, event);
      return bot;
    });
  }

  /** Rejects with 403 when the plan has no room. Checks memory before the number of bots. */
  async #checkPlan(caller: Caller, memoryMb: number): Promise<void> {
    const { plan, reserved } = await this.#checkMemory(caller, memoryMb);
    if (reserved.bots >= plan.bots) throw fail.planLimit(reserved.bots, plan.bots, 'bots');
  }

  async start(caller: Caller, botId: string): Promise<Accepted> {
    const diskFault = await this.#diskFault(caller, botId);
    return this.#setDesired(caller, botId, unlessSuspended(decideStart), { diskFault });
  }

  async restart(caller: Caller, botId: string): Promise<Accepted> {
    const diskFault = await this.#diskFault(caller, botId);
    return this.#setDesired(caller, botId, unlessSuspended(decideRestart), { diskFault });
  }

  /** `graceSeconds` null = the bot's own. */
  stop(caller: Caller, botId: string, graceSeconds: number | null): Promise<Accepted> {
    return this.#setDesired(caller, botId, decideStop, { graceSeconds });
  }

  kill(caller: Caller, botId: string): Promise<Accepted> {
    return this.#setDesired(caller, botId, decideKill, { kill: true });
  }

  /** Builds an offline bot from scratch, regardless of earlier builds. */
  reinstall(caller: Caller, botId: string): Promise<Bot> {
    const { database, bots, clock } = this.#deps;
    return database.transaction(async () => {
      const bot = await this.own(caller, botId);
      const decided = unlessSuspended(decideReinstall)(bot);
      if (decided.kind === 'conflict') throw fail.conflict(decided.code);
      this.#refuseRestoring(bot);
      await bots.forgetBuild(bot.id, clock.now());
      return bot;
    });
  }

  /** Hides bot and app from the owner at once; the agent removes them later. `deletedAt` in ms. */
  async delete(caller: Caller, botId: string, force: boolean): Promise<{ bot: Bot; deletedAt: number }> {
    const { database, apps, clock } = this.#deps;
    return database.transaction(async () => {
      const { bot } = await this.#setDesired(caller, botId, (found) => decideDelete(found, force), { kill: force });
      const app = await apps.ofBot(bot.id);
      const deletedAt = clock.now();
      if (app) {
        await apps.free(app, deletedAt);
        await this.#record(caller, bot, appEvent(app, 'deleted'));
      }
      return { bot, deletedAt };
    });
  }

  /** Applies to a running bot after its next start. More memory must fit the plan. */
  async update(caller: Caller, botId: string, given: BotChange): Promise<BotView> {
    const { database, accounts, bots, clock, packages: allowed } = this.#deps;
    const change = { ...given, packages: given.packages && checkedPackages(given.packages, allowed) };
    if (change.diskMb !== undefined) await this.#checkDisk(caller, botId, change.diskMb);
    const bot = await database.transaction(async () => {
      await accounts.lockReservations(caller.userId);
      const before = await this.own(caller, botId);
      if (change.runtimeVersion !== undefined) checkRuntime(before.language, change.runtimeVersion);
      if (change.memoryMb !== undefined && change.memoryMb > before.memoryMb) {
        await this.#checkMemory(caller, change.memoryMb, before.id);
      }
      // An empty change has no effect: no event, and no restart needed.
      if (Object.values(change).every((value) => value === undefined)) return before;
      await bots.update(before.id, change, clock.now());
      await this.#record(caller, before, updateEvent(before, change));
      return this.own(caller, botId);
    });
    return this.viewOf(bot);
  }

  /** The values of the bot's variables; reads are recorded as one event per caller and hour. */
  async environment(caller: Caller, botId: string): Promise<{ environment: Record<string, string>; view: BotView }> {
    const { database, events, clock } = this.#deps;
    const bot = await database.transaction(async () => {
      const found = await this.own(caller, botId);
      await events.addOrCount(found, readEvent(found), this.#by(caller), clock.now() - hourMs);
      return found;
    });
    return this.#environmentOf(bot);
  }

  /** Applies to a running bot after its next start. */
  async changeEnvironment(
    caller: Caller,
    botId: string,
    change: (present: Record<string, string>) => Record<string, unknown>,
  ): Promise<{ environment: Record<string, string>; view: BotView }> {
    const { database, bots, clock } = this.#deps;
    await database.transaction(async () => {
      const bot = await this.own(caller, botId);
      const environment = checkedEnvironment(change(await bots.environment(bot.id)));
      await bots.saveEnvironment(bot.id, environment, clock.now());
      await this.#record(caller, bot, updateEvent(bot, { environment }));
    });
    return this.#environmentOf(await this.own(caller, botId));
  }

  /** Resolves when the bot has the status, or after `timeoutMs`, or when `signal` aborts. */
  async wait(
    caller: Caller,
    botId: string,
    wanted: { status: BotStatus; timeoutMs: number; signal: AbortSignal },
  ): Promise<{ view: BotView; reached: boolean }> {
    const { bots, clock } = this.#deps;
    const id = (await this.own(caller, botId)).id;
    const over = new AbortController();
    const timer = clock.after(wanted.timeoutMs, () => over.abort());
    const end = AbortSignal.any([over.signal, wanted.signal]);
    try {
      for (;;) {
        const change = bots.changed.next(id, end);
        const bot = await this.own(caller, id);
        const reached = statusOf(bot) === wanted.status;
        if (reached || end.aborted) return { view: await this.viewOf(bot), reached };
        await change;
      }
    } finally {
      timer.cancel();
      over.abort();
    }
  }

  /** The caller's bot; malformed, unknown and other owners' ids fail alike. */
  async own(caller: Caller, botId: string): Promise<Bot> {
    return ownBot(caller, isUuid(botId) ? await this.#deps.bots.find(botId.toLowerCase()) : null);
  }

  async view(caller: Caller, botId: string): Promise<BotView> {
    return this.viewOf(await this.own(caller, botId));
  }

  async viewOf(bot: Bot): Promise<BotView> {
    const { runs, settings, usageCache, clock } = this.#deps;
    const now = clock.now();
    // A bot with a single run has no restarts to count.
    const restarts24h = bot.observed.run > 1 ? await runs.restartsSince(bot.id, now - dayMs) : 0;
    const engine = await settings.engineState();
    return {
      bot,
      phase: this.#isRestoring(bot) ? 'restoring' : phaseOf(bot),
      restarts24h,
      engineAvailable: this.#deps.agent.answers(bot.id) && (engine?.available ?? true),
      usage: statusOf(bot) === 'online' ? usageCache.sample(bot.id, bot.observed.run) : null,
      disk: { use: usageCache.disk(bot.id), limitBytes: bot.diskMb * mebibyte, limitFiles: filesLimit(bot.diskMb) },
      appsUrl: this.#deps.appsUrl,
      now,
    };
  }

  /** One page of the caller's bots; `count` is the total over all pages. */
  async list(
    caller: Caller,
    query: BotPageQuery,
  ): Promise<{ views: BotView[]; count: number; nextCursor: string | null }> {
    const all = await this.#deps.bots.list({
      ownerId: caller.userId,
      nameContains: query.nameContains,
      sort: query.sort,
    });
    const matching = query.status ? all.filter((bot) => statusOf(bot) === query.status) : all;
    const { page, nextCursor } = pageOf(matching, query);
    return { views: await Promise.all(page.map((bot) => this.viewOf(bot))), count: matching.length, nextCursor };
  }

  /** Whether `memoryMb` fits beside all bots, or all but one. */
  async #checkMemory(caller: Caller, memoryMb: number, without?: string) {
    const { accounts, bots } = this.#deps;
    const user = await accounts.findUser({ id: caller.userId });
    const plan = user && (await accounts.findPlan(user.planId));
    if (!plan) throw fail.unauthorized();
    const reserved = await bots.reserved(caller.userId, without);
    const available = availableMb(plan.memoryMb, reserved.memoryMb);
    if (memoryMb > available) throw fail.insufficientMemory(memoryMb, available);
    return { plan, reserved };
  }

  async #environmentOf(bot: Bot): Promise<{ environment: Record<string, string>; view: BotView }> {
    return { environment: await this.#deps.bots.environment(bot.id), view: await this.viewOf(bot) };
  }

  /** Rejects with 403 when the plan does not allow a bot so much disk, or its files use more. */
  async #checkDisk(caller: Caller, botId: string, diskMb: number): Promise<void> {
    const { accounts, diskUse } = this.#deps;
    const bot = await this.own(caller, botId);
    const plan = await accounts.findPlanOf(bot.ownerId);
    if (!plan || diskMb > plan.diskMb) throw fail.diskLimit(diskMb, plan?.diskMb ?? 0);
    const use = await diskUse(bot.id);
    if (isOverLimit(use, diskMb)) throw limitError(use, diskMb);
  }

  /** 403 when the bot's files exceed their limit; recounts them before reporting it. */
  async #diskFault(caller: Caller, botId: string): Promise<BotelError | null> {
    const { usageCache, diskUse, clock } = this.#deps;
    const bot = await this.own(caller, botId);
    const last = usageCache.disk(bot.id);
    if (!last || !isOverLimit(last, bot.diskMb)) return null;
    const use = await diskUse(bot.id);
    usageCache.noteDisk(bot.id, use, clock.now());
    return isOverLimit(use, bot.diskMb) ? limitError(use, bot.diskMb) : null;
  }

  /** A restore is replacing its files: nothing may run on them, and the bot can't be deleted. */
  #refuseRestoring(bot: Bot): void {
    if (this.#isRestoring(bot)) throw fail.botBusy('restoring');
  }

  /** The agent may still be removing the old files when the record is gone. */
  #isRestoring(bot: Bot): boolean {
    return bot.restoring || this.#deps.agent.workOn(bot.id) === 'restoring';
  }

  #record(caller: Caller, bot: Bot, event: NewEvent): Promise<void> {
    return this.#deps.events.add(bot, event, this.#by(caller));
  }

  /** The author of an event. */
  #by({ userId, actorId = userId, via }: Caller) {
    return { at: this.#deps.clock.now(), userId: actorId, via };
  }

  #setDesired(
    caller: Caller,
    botId: string,
    decide: (bot: Bot) => LifecycleDecision,
    how: { kill?: boolean; graceSeconds?: number | null; diskFault?: BotelError | null } = {},
  ): Promise<Accepted> {
    const { database, bots, clock } = this.#deps;
    return database.transaction(async () => {
      const bot = await this.own(caller, botId);
      const decided = decide(bot);
      if (decided.kind === 'conflict') throw fail.conflict(decided.code);
      const wasWaiting = isWaiting(bot);
      if (decided.kind === 'nothing') return { bot, status: statusOf(bot), wasWaiting };
      if (decided.desired !== 'stopped') this.#refuseRestoring(bot);
      if (how.diskFault) throw how.diskFault;
      const desired = {
        state: decided.desired,
        generation: bot.desired.generation + 1,
        kill: how.kill ?? false,
        graceSeconds: how.graceSeconds ?? null,
      };
      await bots.setDesired(bot.id, desired, clock.now());
      const status = statusOf({ ...bot, desired });
      await this.#record(caller, bot, lifecycleEvent(bot, desired, status));
      return { bot, status, wasWaiting };
    });
  }
}

/** Wraps a decision that makes something of the bot run. */
function unlessSuspended(decide: (bot: Bot) => LifecycleDecision) {
  return (bot: Bot) => {
    if (bot.suspension !== null) throw fail.botSuspended();
    return decide(bot);
  };
}

function checkedEnvironment(given: Record<string, unknown>): Record<string, string> {
  const read = readEnvironment(given);
  if ('environment' in read) return read.environment;
  throw fail.invalidInput(read.key === null ? 'environment' : `environment.${read.key}`, read.fault);
}

function checkRuntime(language: Language, version: string): void {
  const versions = languageDefinitions[language].versions;
  if (!versions.includes(version)) throw fail.invalidInput('runtime_version', `must be one of: ${versions.join(', ')}`);
}

function checkedPackages(given: readonly string[], allowed: readonly string[]): string[] {
  const read = readPackages(given, allowed);
  if ('packages' in read) return read.packages;
  const fault = allowed.length > 0 ? `must be one of: ${allowed.join(', ')}` : 'is not allowed here';
  throw fail.invalidInput(`packages[${read.fault}]`, fault);
}
