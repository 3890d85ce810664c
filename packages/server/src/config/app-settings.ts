// The settings of apps and of what stands before them, a part of env.ts.
import { serverList } from './addresses.ts';
import { checked, oneOf, text, wholeNumber } from './setting-kinds.ts';

/** In the order of .env.example. */
export const appSettings = {
  appsDomain: checked(
    text('BOTEL_APPS_DOMAIN', 'apps.localhost', 'Domain whose subdomains serve apps.'),
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
    'must be a domain name in lower case',
  ),
  httpsPort: wholeNumber(
    'BOTEL_HTTPS_PORT',
    [443, 1, 65_535],
    'Port of the Caddy that up --tls starts, for the API, the dashboard and apps.',
  ),
  httpPort: wholeNumber(
    'BOTEL_HTTP_PORT',
    [80, 1, 65_535],
    'Port of the same Caddy for plain HTTP, which sends browsers to https and proves names to the authority.',
  ),
  tlsCertificates: oneOf(
    'BOTEL_TLS_CERTIFICATES',
    ['auto', 'public', 'local'],
    'Who signs its certificates: a public authority, an own one of this machine (local), or auto (local where the name of BOTEL_PUBLIC_URL is none of the public internet).',
  ),
  appsUrl: checked(
    text(
      'BOTEL_APPS_URL',
      '',
      'Address of apps where it is not https://*.<apps domain>, with * for the name: http://*.apps.localhost:8081.',
    ),
    /^https?:\/\/\*\.[a-z0-9.-]+(:\d{1,5})?$/,
    'must be like http://*.apps.localhost:8081',
  ),
  dnsServers: {
    ...text(
      'BOTEL_DNS_SERVERS',
      '',
      "Name servers that are asked whose a custom domain is: addresses, with :port where it is not 53; without it this machine's.",
    ),
    read: serverList,
  },
} as const;
