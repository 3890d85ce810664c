// The settings of apps and of the proxy before them; part of env.ts.
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
    'https port of Caddy (up --tls), for the API, the dashboard and apps.',
  ),
  httpPort: wholeNumber(
    'BOTEL_HTTP_PORT',
    [80, 1, 65_535],
    'HTTP port of Caddy: redirects browsers to https and answers certificate challenges.',
  ),
  tlsCertificates: oneOf(
    'BOTEL_TLS_CERTIFICATES',
    ['auto', 'public', 'local'],
    'Certificate authority: public, local (one on this machine), or auto (local if the name in BOTEL_PUBLIC_URL is not public).',
  ),
  certificatesPerOwner: wholeNumber(
    'BOTEL_CERTIFICATES_PER_OWNER',
    [10, 1, 1_000_000],
    'Hostnames per account and week that get their first certificate (up --tls); renewals are free.',
  ),
  certificatesOfApps: wholeNumber(
    'BOTEL_CERTIFICATES_OF_APPS',
    [40, 1, 1_000_000],
    "The same for all names below the apps domain together; Let's Encrypt allows 50 per registrable domain.",
  ),
  appsUrl: checked(
    text(
      'BOTEL_APPS_URL',
      '',
      'Address of apps, with * for the name, such as http://*.apps.localhost:8081; default https://*.<apps domain>.',
    ),
    /^https?:\/\/\*\.[a-z0-9.-]+(:\d{1,5})?$/,
    'must be like http://*.apps.localhost:8081',
  ),
  dnsServers: {
    ...text(
      'BOTEL_DNS_SERVERS',
      '',
      "Name servers for verifying custom domains: addresses, with :port if not 53; default this machine's.",
    ),
    read: serverList,
  },
  gatewayHost: text('BOTEL_GATEWAY_HOST', '127.0.0.1', 'Address the gateway listens on.'),
  gatewayPort: portOrOff(
    'BOTEL_GATEWAY_PORT',
    'Port the gateway listens on, or off; default the one after BOTEL_PORT.',
  ),
  gatewayWaitSeconds: wholeNumber(
    'BOTEL_GATEWAY_WAIT_SECONDS',
    [30, 0, 600],
    'Seconds a request to an app waits for its bot to start.',
  ),
  gatewayAppRequests: wholeNumber(
    'BOTEL_GATEWAY_APP_REQUESTS',
    [2048, 1, 1_000_000],
    'Open requests and streams per app.',
  ),
  gatewayAppRate: wholeNumber('BOTEL_GATEWAY_APP_RATE', [1000, 1, 1_000_000], 'Requests per app and second.'),
  gatewayVisitorShare: wholeNumber(
    'BOTEL_GATEWAY_VISITOR_SHARE',
    [25, 1, 100],
    'Share of both limits that one address (IPv6: one /64) may use, in percent.',
  ),
  gatewayConnections: wholeNumber(
    'BOTEL_GATEWAY_CONNECTIONS',
    [16_384, 16, 1_000_000],
    'Maximum open connections to the gateway.',
  ),
} as const;
