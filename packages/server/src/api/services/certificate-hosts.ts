// Hostnames that this server answers for; a proxy asks before it requests a certificate.
import { plainHostname, type ServerNames } from '../../core/domain/hostname.ts';
import { subdomainFault } from '../../core/domain/subdomain.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { DomainStore } from '../../core/store/domains.ts';

interface Deps {
  apps: Pick<AppStore, 'holderOf'>;
  domains: Pick<DomainStore, 'verified' | 'noteTlsAsked'>;
  clock: Clock;
  names: ServerNames;
}

export class CertificateHosts {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether a certificate may be issued; records the first request for a verified domain. */
  async mayHaveCertificate(text: string): Promise<boolean> {
    const { apps, domains, clock, names } = this.#deps;
    const hostname = plainHostname(text);
    if (hostname === '' || hostname.length > 253) return false;
    if (hostname === names.publicHost || hostname === names.appsDomain) return true;
    if (hostname.endsWith(`.${names.appsDomain}`)) {
      const name = hostname.slice(0, -names.appsDomain.length - 1);
      return subdomainFault(name) === null && (await apps.holderOf(name, clock.now()))?.inUse === true;
    }
    const domain = await domains.verified(hostname);
    if (domain && !domain.isTlsAsked) await domains.noteTlsAsked(domain.id, clock.now());
    return domain !== null;
  }
}
