// What a caller may do with hostnames of its own for its apps. Everybody may claim a hostname; it serves the app once its DNS
// shows whose it is, and only one claim can be verified. A claim that nobody showed keeps nobody from anything.
import type { Caller } from '../../core/domain/access.ts';
import type { App } from '../../core/domain/app.ts';
import { BotelError, fail } from '../../core/domain/errors.ts';
import {
  challengeName,
  type Domain,
  domainsMax,
  judgeRecords,
  readHostname,
  recheckMs,
  type Seen,
  type ServerNames,
} from '../../core/domain/hostname.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { type Ids, isUuid, secretToken } from '../../core/lib/ids.ts';
import type { NameServers } from '../../core/lib/name-servers.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { Database } from '../../core/store/database.ts';
import type { DomainStore } from '../../core/store/domains.ts';
import type { AppsService } from './apps.ts';

/** Domains that are looked at in one turn of the periodic check. */
const checkedAtOnce = 20;
/** Looks that one owner may have under way: name servers that are silent keep nobody else waiting. */
const looksPerOwner = 4;
const retrySeconds = 5;

/** A domain, and the app's own name, which an alias of it leads to. */
export interface DomainView {
  domain: Domain;
  target: string;
}

interface Parts {
  database: Database;
  apps: AppsService;
  appStore: Pick<AppStore, 'find'>;
  domains: DomainStore;
  nameServers: Pick<NameServers, 'txt' | 'cname'>;
  clock: Clock;
  ids: Ids;
  names: ServerNames;
}

export class DomainsService {
  readonly #parts: Parts;
  readonly #looks = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Of one app, newest first. */
  async list(caller: Caller, appId: string): Promise<DomainView[]> {
    const app = await this.#parts.apps.own(caller, appId);
    const domains = await this.#parts.domains.ofApp(app.id);
    return domains.map((domain) => ({ domain, target: this.#targetOf(app) }));
  }

  /** KeyedTryLock a hostname, which is not served before it is verified. */
  async create(caller: Caller, appId: string, given: string): Promise<DomainView> {
    const { database, apps, domains, clock, ids, names } = this.#parts;
    const read = readHostname(given, names);
    if ('fault' in read) throw fail.invalidInput('hostname', read.fault);
    const { hostname } = read;
    return database.transaction(async () => {
      const app = await apps.own(caller, appId);
      const present = await domains.ofApp(app.id);
      const isOwn = present.some((domain) => domain.hostname === hostname);
      if (isOwn || (await domains.verified(hostname))) throw fail.hostnameInUse(hostname);
      if (present.length >= domainsMax) throw fail.planLimit(present.length, domainsMax, 'domains');
      const domain: Domain = {
        id: ids.uuid(),
        appId: app.id,
        hostname,
        token: secretToken(),
        status: 'pending',
        fault: null,
        checkedAt: null,
        verifiedAt: null,
        tlsAskedAt: null,
        createdAt: clock.now(),
      };
      await domains.insert(domain);
      return { domain, target: this.#targetOf(app) };
    });
  }

  /** Looks at the records now; what they say is in the answer. */
  async verify(caller: Caller, domainId: string): Promise<DomainView> {
    const { domain, target } = await this.own(caller, domainId);
    const seen = await this.#inTurn(caller, () => this.#look(domain));
    await this.#record(domain.id, target, seen);
    return this.own(caller, domainId);
  }

  delete(caller: Caller, domainId: string): Promise<DomainView> {
    const { database, domains } = this.#parts;
    return database.transaction(async () => {
      const view = await this.own(caller, domainId);
      await domains.remove(view.domain.id);
      return view;
    });
  }

  /** Looks again at verified ones whose last look is a day old; one whose records are gone for days is lost. */
  async checkAgain(): Promise<void> {
    const { domains, appStore, clock } = this.#parts;
    for (const domain of await domains.unchecked(clock.now() - recheckMs, checkedAtOnce)) {
      const app = await appStore.find(domain.appId);
      if (!app) continue;
      const target = this.#targetOf(app);
      await this.#record(domain.id, target, await this.#look(domain));
    }
  }

  /** The domain, when it is of an app of the caller; a malformed, unknown or foreign id fails alike. */
  async own(caller: Caller, domainId: string): Promise<DomainView> {
    const domain = isUuid(domainId) ? await this.#parts.domains.find(domainId.toLowerCase()) : null;
    if (!domain) throw fail.domainNotFound();
    try {
      return { domain, target: this.#targetOf(await this.#parts.apps.own(caller, domain.appId)) };
    } catch (error) {
      if (error instanceof BotelError && error.code === 'app_not_found') throw fail.domainNotFound();
      throw error;
    }
  }

  /** 429 when the caller has as many under way as it may. */
  async #inTurn<T>({ userId }: Caller, look: () => Promise<T>): Promise<T> {
    const others = this.#looks.get(userId) ?? 0;
    if (others >= looksPerOwner) throw fail.rateLimited(retrySeconds);
    this.#looks.set(userId, others + 1);
    try {
      return await look();
    } finally {
      const left = (this.#looks.get(userId) ?? 1) - 1;
      if (left > 0) this.#looks.set(userId, left);
      else this.#looks.delete(userId);
    }
  }

  async #look({ hostname }: Domain): Promise<Seen> {
    const { nameServers } = this.#parts;
    const [txt, cname] = await Promise.all([nameServers.txt(challengeName(hostname)), nameServers.cname(hostname)]);
    return { txt, cname };
  }

  /** The domain may have changed, or gone, while its records were looked at. */
  #record(domainId: string, target: string, seen: Seen): Promise<void> {
    const { database, domains, clock } = this.#parts;
    return database.transaction(async () => {
      const domain = await domains.find(domainId);
      if (!domain) return;
      const now = clock.now();
      const verdict = judgeRecords(domain, target, seen, now);
      if (verdict.status === 'verified') {
        const verified = await domains.verified(domain.hostname);
        if (verified && verified.id !== domain.id) throw fail.hostnameInUse(domain.hostname);
      }
      await domains.record(domain.id, verdict, now);
    });
  }

  #targetOf({ name }: App): string {
    return `${name}.${this.#parts.names.appsDomain}`;
  }
}
