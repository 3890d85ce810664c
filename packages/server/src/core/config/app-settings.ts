// The settings of apps and of what stands before them, a part of env.ts.
import { serverList } from './addresses.ts';
import { checked, oneOf, portOrOff, text, wholeNumber } from './setting-kinds.ts';

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
  gatewayHost: text('BOTEL_GATEWAY_HOST', '127.0.0.1', 'Address that the gateway of apps listens on.'),
  gatewayPort: portOrOff(
    'BOTEL_GATEWAY_PORT',
    'Port that the gateway of apps listens on, or off; without it the one after BOTEL_PORT.',
  ),
  gatewayWaitSeconds: wholeNumber(
    'BOTEL_GATEWAY_WAIT_SECONDS',
    [30, 0, 600],
    'Seconds that a request to an app waits for its bot to start.',
  ),
  gatewayAppRequests: wholeNumber(
    'BOTEL_GATEWAY_APP_REQUESTS',
    [2048, 1, 1_000_000],
    'Requests and streams of an app that are open at a time.',
  ),
  gatewayAppRate: wholeNumber('BOTEL_GATEWAY_APP_RATE', [1000, 1, 1_000_000], 'Requests of an app per second.'),
  gatewayVisitorShare: wholeNumber(
    'BOTEL_GATEWAY_VISITOR_SHARE',
    [25, 1, 100],
    'Percent of both that one address (IPv6: one /64) may take of an app; 100 = all.',
  ),
  gatewayConnections: wholeNumber(
    'BOTEL_GATEWAY_CONNECTIONS',
    [16_384, 16, 1_000_000],
    'Connections to the gateway that are open at a time.',
  ),
} as const;
