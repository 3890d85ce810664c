// Hostnames that this server answers for; a proxy asks before it requests a certificate.
import { plainHostname, type ServerNames } from '../../core/domain/hostname.ts';
import { subdomainFault } from '../../core/domain/subdomain.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { CertificateStore } from '../../core/store/certificates.ts';
import type { Database } from '../../core/store/database.ts';
import type { DomainStore } from '../../core/store/domains.ts';

const weekMs = 7 * 24 * 60 * 60 * 1000;

interface Deps {
  database: Database;
  apps: Pick<AppStore, 'find' | 'holderOf'>;
  domains: Pick<DomainStore, 'find' | 'verified' | 'noteTlsAsked'>;
  certificates: CertificateStore;
  /** First approvals per week: for an owner, and for names below the apps domain. */
  limits: { perOwner: number; appNames: number };
  clock: Clock;
  names: ServerNames;
}

export class CertificateHosts {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Whether a certificate may be issued. Counts hostnames that it approves for the first time:
   * certificate authorities limit new ones per week and domain, and all owners share that limit.
   */
  async mayHaveCertificate(text: string): Promise<boolean> {
    const { apps, domains, clock, names } = this.#deps;
    const hostname = plainHostname(text);
    if (hostname === '' || hostname.length > 253) return false;
    if (hostname === names.publicHost || hostname === names.appsDomain) return true;
    if (hostname.endsWith(`.${names.appsDomain}`)) {
      const name = hostname.slice(0, -names.appsDomain.length - 1);
      const holder = subdomainFault(name) === null ? await apps.holderOf(name, clock.now()) : null;
      return holder?.inUse === true && (await this.#approve(hostname, holder.ownerId, true));
    }
    const verified = await domains.verified(hostname);
    const domain = verified && (await domains.find(verified.id));
    const app = domain && (await apps.find(domain.appId));
    if (!app || !(await this.#approve(hostname, app.ownerId, false))) return false;
    if (!verified.isTlsAsked) await domains.noteTlsAsked(verified.id, clock.now());
    return true;
  }

  /** False when the hostname is new and a limit is reached; it counts once, with all renewals. */
  async #approve(hostname: string, ownerId: string, isAppName: boolean): Promise<boolean> {
    const { database, certificates, limits, clock } = this.#deps;
    if (await certificates.has(hostname)) return true;
    return database.transaction(async () => {
      if (await certificates.has(hostname)) return true;
      const now = clock.now();
      if ((await certificates.countOfOwner(ownerId, now - weekMs)) >= limits.perOwner) return false;
      if (isAppName && (await certificates.countOfAppNames(now - weekMs)) >= limits.appNames) return false;
      await certificates.insert({ hostname, ownerId, isAppName, approvedAt: now });
      return true;
    });
  }
}
