// Whether DNS still proves ownership of a domain: for the api on request, for the agent daily.
import type { App } from '../domain/app.ts';
import { fail } from '../domain/errors.ts';
import {
  challengeName,
  type Domain,
  isSuperseded,
  judgeRecords,
  recheckMs,
  type Seen,
  type ServerNames,
} from '../domain/hostname.ts';
import type { Clock } from '../lib/clock.ts';
import type { NameServers } from '../lib/name-servers.ts';
import type { AppStore } from '../store/apps.ts';
import type { Database } from '../store/database.ts';
import type { DomainStore } from '../store/domains.ts';

/** Domains checked per run of the periodic task. */
const checkedAtOnce = 20;

interface Deps {
  database: Database;
  appStore: Pick<AppStore, 'find'>;
  domains: DomainStore;
  nameServers: Pick<NameServers, 'txt' | 'cname'>;
  clock: Clock;
  names: ServerNames;
}

export class DomainChecker {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Checks verified domains whose last check is a day old; without records for days, one is lost.
   */
  async recheck(): Promise<void> {
    const { domains, appStore, clock } = this.#deps;
    for (const domain of await domains.unchecked(clock.now() - recheckMs, checkedAtOnce)) {
      const app = await appStore.find(domain.appId);
      if (app) await this.record(domain.id, this.target(app), await this.lookUp(domain));
    }
  }

  /** Current records of a domain. */
  async lookUp({ hostname }: Domain): Promise<Seen> {
    const { nameServers } = this.#deps;
    const [txt, cname] = await Promise.all([nameServers.txt(challengeName(hostname)), nameServers.cname(hostname)]);
    return { txt, cname };
  }

  /** Stores the result. The domain may have changed or been deleted during the lookup. */
  record(domainId: string, target: string, seen: Seen): Promise<void> {
    const { database, domains, clock } = this.#deps;
    return database.transaction(async () => {
      const domain = await domains.find(domainId);
      if (!domain) return;
      const now = clock.now();
      const verdict = judgeRecords(domain, target, seen, now);
      if (verdict.status === 'verified') await this.#supersede(domain, seen);
      await domains.record(domain.id, verdict, now);
    });
  }

  /** Ends another verified claim of the hostname; fails with 409 while DNS may still prove that. */
  async #supersede({ id, hostname }: Domain, seen: Seen): Promise<void> {
    const { domains, appStore, clock } = this.#deps;
    const verified = await domains.verified(hostname);
    if (!verified || verified.id === id) return;
    const other = await domains.find(verified.id);
    const app = other && (await appStore.find(other.appId));
    if (!other || !app || !isSuperseded(other, this.target(app), seen)) throw fail.hostnameInUse(hostname);
    const fault = 'Another claim of the hostname was verified';
    await domains.record(other.id, { status: 'failed', fault, verifiedAt: other.verifiedAt }, clock.now());
  }

  /** The app's own name, which aliases of its domains point to. */
  target({ name }: Pick<App, 'name'>): string {
    return `${name}.${this.#deps.names.appsDomain}`;
  }
}
