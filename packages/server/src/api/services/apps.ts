// Apps: bots served under a name. The transaction that finds a name free also takes it.
import type { Availability } from '@botel/contract/apps';
import type { Caller } from '../../core/domain/access.ts';
import { type App, type AppChange, namesReleasedPerDay } from '../../core/domain/app.ts';
import type { Bot } from '../../core/domain/bot.ts';
import { defaultPort } from '../../core/domain/environment.ts';
import { fail } from '../../core/domain/errors.ts';
import { appEvent } from '../../core/domain/event.ts';
import { appUrl, isReservedName, subdomainFault, takenReason } from '../../core/domain/subdomain.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { type Ids, isUuid } from '../../core/lib/ids.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { AppMinutes, AppTraffic } from '../../core/store/app-minutes.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { BotStore } from '../../core/store/bots.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { BotsService } from '../../core/services/bots.ts';
import { type PageQuery, pageOf } from '../../core/services/page.ts';

const dayMs = 24 * 60 * 60 * 1000;

export type NewApp = Pick<App, 'botId' | 'name' | 'port' | 'healthPath'>;

/** An app and the bot that it serves. */
export interface AppView {
  app: App;
  bot: Bot;
  url: string;
  /** Traffic of the last 24 hours. */
  traffic: AppTraffic;
}

interface Deps {
  database: Database;
  apps: AppStore;
  bots: BotsService;
  store: Pick<BotStore, 'find' | 'touch'>;
  minutes: Pick<AppMinutes, 'traffic'>;
  accounts: Pick<AccountStore, 'lockReservations' | 'findPlanOf'>;
  events: Pick<EventStore, 'add'>;
  clock: Clock;
  ids: Ids;
  appsDomain: string;
  /** URL of apps, with `*` for the name. */
  appsUrl: string;
}

export class AppsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** URL of any app, with `*` for its name. */
  get address(): string {
    return this.#deps.appsUrl;
  }

  /** Compares the name as given, without trimming or lower-casing. */
  async check(name: string): Promise<Availability> {
    const { apps, clock, appsDomain } = this.#deps;
    const fault = subdomainFault(name);
    if (fault) return { available: false, reason: fault };
    if (await apps.holderOf(name, clock.now())) return { available: false, reason: takenReason(name) };
    return { available: true, name, url: `https://${name}.${appsDomain}` };
  }

  /** The caller's apps, newest first; `count` is the total over all pages. */
  async list(
    caller: Caller,
    query: PageQuery,
  ): Promise<{ views: AppView[]; count: number; nextCursor: string | null }> {
    const all = await this.#deps.apps.list(caller.userId);
    const { page, nextCursor } = pageOf(all, query);
    const views = await Promise.all(page.map((app) => this.#viewOf(app)));
    // A bot and its app may be deleted while this reads them.
    return { views: views.filter((view) => view !== null), count: all.length, nextCursor };
  }

  async view(caller: Caller, appId: string): Promise<AppView> {
    const view = await this.#viewOf(await this.own(caller, appId));
    if (!view) throw fail.appNotFound();
    return view;
  }

  async create(caller: Caller, input: NewApp): Promise<AppView> {
    refuseFault(input.name);
    const { database, apps, accounts, clock, ids } = this.#deps;
    return database.transaction(async () => {
      await accounts.lockReservations(caller.userId);
      const bot = await this.#botWithoutApp(caller, input.botId);
      await this.#refuseTaken(caller, input.name);
      await this.#refuseOverPlan(caller);
      const now = clock.now();
      const app: App = { ...input, id: ids.uuid(), botId: bot.id, ownerId: caller.userId, createdAt: now };
      await apps.insert(app);
      await this.#notePort(bot, null, app.port);
      await this.#record(caller, bot, app, 'created');
      return this.view(caller, app.id);
    });
  }

  /** Changes the given fields. */
  async update(caller: Caller, appId: string, change: AppChange): Promise<AppView> {
    if (change.name !== undefined) refuseFault(change.name);
    const { database, apps, bots, clock } = this.#deps;
    return database.transaction(async () => {
      const before = await this.own(caller, appId);
      const after: App = { ...before, ...change, botId: (change.botId ?? before.botId).toLowerCase() };
      if (after.botId !== before.botId) {
        const bot = await this.#botWithoutApp(caller, after.botId);
        await this.#notePort(await bots.own(caller, before.botId), before.port, null);
        await this.#notePort(bot, null, after.port);
      } else await this.#notePort(await bots.own(caller, after.botId), before.port, after.port);
      if (after.name !== before.name) {
        await this.#refuseTaken(caller, after.name);
        await this.#refuseOftenRenamed(caller);
      }
      await apps.update(before, after, clock.now());
      return this.view(caller, before.id);
    });
  }

  /** Deletes the app and its domains; its name stays reserved for the caller. */
  delete(caller: Caller, appId: string): Promise<AppView> {
    const { database, apps, clock } = this.#deps;
    return database.transaction(async () => {
      const view = await this.view(caller, appId);
      await apps.free(view.app, clock.now());
      await this.#record(caller, view.bot, view.app, 'deleted');
      return view;
    });
  }

  /** The caller's app; malformed, unknown and other owners' ids fail alike. */
  async own(caller: Caller, appId: string): Promise<App> {
    const app = isUuid(appId) ? await this.#deps.apps.find(appId.toLowerCase()) : null;
    if (!app || app.ownerId !== caller.userId) throw fail.appNotFound();
    return app;
  }

  async #viewOf(app: App): Promise<AppView | null> {
    const { store, minutes, clock, appsUrl } = this.#deps;
    const bot = await store.find(app.botId);
    if (!bot) return null;
    const traffic = await minutes.traffic(app.id, clock.now() - dayMs);
    return { app, bot, url: appUrl(app.name, appsUrl), traffic };
  }

  async #botWithoutApp(caller: Caller, botId: string): Promise<Bot> {
    const bot = await this.#deps.bots.own(caller, botId);
    if (await this.#deps.apps.ofBot(bot.id)) throw fail.botHasApp();
    return bot;
  }

  async #refuseTaken(caller: Caller, name: string): Promise<void> {
    const holder = await this.#deps.apps.holderOf(name, this.#deps.clock.now());
    if (holder && (holder.inUse || holder.ownerId !== caller.userId)) throw fail.nameTaken(name);
  }

  /** Each name may cost a certificate, and is reserved for 30 days. */
  async #refuseOftenRenamed(caller: Caller): Promise<void> {
    const now = this.#deps.clock.now();
    const releases = await this.#deps.apps.releasesSince(caller.userId, now - dayMs);
    const oldest = releases[namesReleasedPerDay - 1];
    if (oldest !== undefined) throw fail.rateLimited(Math.ceil((oldest + dayMs - now) / 1000));
  }

  async #refuseOverPlan(caller: Caller): Promise<void> {
    const plan = await this.#deps.accounts.findPlanOf(caller.userId);
    if (!plan) throw fail.unauthorized();
    const used = await this.#deps.apps.count(caller.userId);
    if (used >= plan.apps) throw fail.planLimit(used, plan.apps, 'apps');
  }

  /** Marks the bot as changed when its next run gets another `PORT`; its own variable wins. */
  async #notePort(bot: Bot, before: number | null, after: number | null): Promise<void> {
    if ((before ?? defaultPort) === (after ?? defaultPort) || bot.environmentNames.includes('PORT')) return;
    await this.#deps.store.touch(bot.id, this.#deps.clock.now());
  }

  #record(caller: Caller, bot: Bot, app: App, verb: 'created' | 'deleted'): Promise<void> {
    return this.#deps.events.add(bot, appEvent(app, verb), {
      at: this.#deps.clock.now(),
      userId: caller.userId,
      via: caller.via,
    });
  }
}

/** Throws 400 or 409 for names that nobody can have. */
function refuseFault(name: string): void {
  const fault = subdomainFault(name);
  if (fault) throw isReservedName(name) ? fail.nameReserved(name) : fail.appNameInvalid(fault);
}
