// App names: whether they resolve to this machine, on another site than the dashboard.
import { networkInterfaces } from 'node:os';
import { registrableDomain } from '../../../core/lib/registrable-domain.ts';
import { secretToken } from '../../../core/lib/ids.ts';
import { NameServers } from '../../../core/lib/name-servers.ts';
import { systemClock } from '../../../core/lib/clock.ts';
import { type Check, type Finding, ok, warn } from '../check.ts';

export const apps: Check = {
  name: 'apps',
  async run({ appsDomain, publicUrl, dnsServers }) {
    const host = publicUrl ? new URL(publicUrl).hostname : null;
    if (isLocal(appsDomain)) return [ok(`apps are below ${appsDomain}: only browsers on this machine reach them`)];
    // An unused name: the wildcard record is what counts.
    const name = `check-${secretToken()
      .slice(0, 8)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '0')}.${appsDomain}`;
    const found = await new NameServers(dnsServers, systemClock).addresses(name);
    return [...judgeSites(appsDomain, host), judgeNames(appsDomain, found, ownAddresses())];
  },
};

/** `found`: addresses of a name below the domain; null = no name server answered. */
export function judgeNames(appsDomain: string, found: string[] | null, own: ReadonlySet<string>): Finding {
  const record = `*.${appsDomain}`;
  if (found === null) return warn(`no name server answers for ${record}`, 'Check the network, or BOTEL_DNS_SERVERS.');
  if (found.length === 0)
    return warn(
      `names below ${appsDomain} do not resolve`,
      `Add a DNS record ${record} with the address of this machine, or change BOTEL_APPS_DOMAIN.`,
    );
  const foreign = found.filter((address) => !own.has(address));
  if (foreign.length === 0) return ok(`names below ${appsDomain} resolve to this machine (${found.join(', ')})`);
  return warn(
    `names below ${appsDomain} resolve to ${foreign.join(', ')}, not to this machine`,
    `Fine if a proxy or router forwards them; otherwise change the DNS record ${record}.`,
  );
}

/** `host`: that of the dashboard; null when no public URL is set. */
export function judgeSites(appsDomain: string, host: string | null): Finding[] {
  if (host === null || registrableDomain(host) !== registrableDomain(appsDomain)) return [];
  return [
    warn(
      `apps (${appsDomain}) and the dashboard (${host}) are the same site to a browser: ${registrableDomain(host)}`,
      'A hostile app could attack dashboard sessions of its visitors. Use a separately registered domain for apps: BOTEL_APPS_DOMAIN.',
    ),
  ];
}

function isLocal(domain: string): boolean {
  return domain === 'localhost' || domain.endsWith('.localhost');
}

function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)));
}
