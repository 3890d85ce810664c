// Apps: whether a subdomain name can be had (spec.md section 4.4).
import type { Availability } from '@botel/contract/apps';
import { appUrl, subdomainFault, takenReason } from '../domain/subdomain.ts';
import type { Clock } from '../lib/clock.ts';
import type { AppStore } from '../store/apps.ts';

export class AppsService {
  readonly #apps: AppStore;
  readonly #clock: Clock;
  readonly #appsDomain: string;

  constructor(apps: AppStore, clock: Clock, appsDomain: string) {
    this.#apps = apps;
    this.#clock = clock;
    this.#appsDomain = appsDomain;
  }

  /** The name is compared as it is: not trimmed, not lower-cased. */
  async check(name: string): Promise<Availability> {
    const fault = subdomainFault(name);
    if (fault) return { available: false, reason: fault };
    if (await this.#apps.holderOf(name, this.#clock.now())) return { available: false, reason: takenReason(name) };
    return { available: true, name, url: appUrl(name, this.#appsDomain) };
  }
}
