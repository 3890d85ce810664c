// Owners' own hostnames for apps. Anyone may claim one; it serves the app once DNS proves
// ownership. Only one claim can be verified, and unverified claims block nobody.
import type { Caller } from '../../core/domain/access.ts';
import { fail, nullOn } from '../../core/domain/errors.ts';
import { type Domain, domainsMax, readHostname, type ServerNames } from '../../core/domain/hostname.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { type Ids, isUuid, secretToken } from '../../core/lib/ids.ts';
import type { DomainChecker } from '../../core/services/domain-checker.ts';
import type { Database } from '../../core/store/database.ts';
import type { DomainStore } from '../../core/store/domains.ts';
import type { AppsService } from './apps.ts';

/** Concurrent DNS checks per owner, so that silent name servers do not block other owners. */
const checksPerOwner = 4;
const retrySeconds = 5;

/** A domain, and the app's own name, which its alias points to. */
export interface DomainView {
  domain: Domain;
  target: string;
}

interface Deps {
  database: Database;
  apps: AppsService;
  domains: DomainStore;
  checker: Pick<DomainChecker, 'lookUp' | 'record' | 'target'>;
  clock: Clock;
  ids: Ids;
  names: ServerNames;
}

export class DomainsService {
  readonly #deps: Deps;
  readonly #checking = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The domains of an app, newest first. */
  async list(caller: Caller, appId: string): Promise<DomainView[]> {
    const app = await this.#deps.apps.own(caller, appId);
    const domains = await this.#deps.domains.ofApp(app.id);
    return domains.map((domain) => ({ domain, target: this.#deps.checker.target(app) }));
  }

  /** Claims a hostname, which is not served until verified. */
  async create(caller: Caller, appId: string, given: string): Promise<DomainView> {
    const { database, apps, domains, clock, ids, names } = this.#deps;
    const read = readHostname(given, names);
    if ('fault' in read) throw fail.invalidInput('hostname', read.fault);
    const { hostname } = read;
    return database.transaction(async () => {
      const app = await apps.own(caller, appId);
      const present = await domains.ofApp(app.id);
      if (present.some((domain) => domain.hostname === hostname)) throw fail.hostnameInUse(hostname);
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
      return { domain, target: this.#deps.checker.target(app) };
    });
  }

  /** Checks the DNS records now and returns the updated domain. */
  async verify(caller: Caller, domainId: string): Promise<DomainView> {
    const { checker } = this.#deps;
    const { domain, target } = await this.own(caller, domainId);
    const seen = await this.#inTurn(caller, () => checker.lookUp(domain));
    await checker.record(domain.id, target, seen);
    return this.own(caller, domainId);
  }

  delete(caller: Caller, domainId: string): Promise<DomainView> {
    const { database, domains } = this.#deps;
    return database.transaction(async () => {
      const view = await this.own(caller, domainId);
      await domains.remove(view.domain.id);
      return view;
    });
  }

  /** The domain of an app of the caller; malformed, unknown and other owners' ids fail alike. */
  async own(caller: Caller, domainId: string): Promise<DomainView> {
    const domain = isUuid(domainId) ? await this.#deps.domains.find(domainId.toLowerCase()) : null;
    const app = domain && (await nullOn('app_not_found', this.#deps.apps.own(caller, domain.appId)));
    if (!app) throw fail.domainNotFound();
    return { domain, target: this.#deps.checker.target(app) };
  }

  /** Rejects with 429 when the caller already has the maximum of checks in progress. */
  async #inTurn<T>({ userId }: Caller, check: () => Promise<T>): Promise<T> {
    const others = this.#checking.get(userId) ?? 0;
    if (others >= checksPerOwner) throw fail.rateLimited(retrySeconds);
    this.#checking.set(userId, others + 1);
    try {
      return await check();
    } finally {
      const left = (this.#checking.get(userId) ?? 1) - 1;
      if (left > 0) this.#checking.set(userId, left);
      else this.#checking.delete(userId);
    }
  }
}
