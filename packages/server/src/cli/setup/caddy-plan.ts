// The configuration of Caddy: issuer, variables of the Caddyfile, required version. Pure.
import { isIP } from 'node:net';

/** The oldest version that supports the Caddyfile; included in Debian 12 and Ubuntu 24.04. */
export const oldestCaddy = '2.6.2';

type CertificateSource = 'public' | 'local';

/** The settings that Caddy depends on, and the addresses of API and gateway. */
export interface CaddyInputs {
  /** Without trailing slash; '' = unset. */
  publicUrl: string;
  tlsCertificates: 'auto' | CertificateSource;
  httpsPort: number;
  httpPort: number;
  /** Addresses and ranges whose X-Forwarded-For the API trusts. */
  trustedProxies: readonly string[];
  apiPort: number;
  gatewayPort: number;
}

export interface CaddyPlan {
  certificates: CertificateSource;
  /** URL of the API and the dashboard for browsers. */
  address: string;
  /** Variables of the Caddyfile. */
  environment: Record<string, string>;
}

/** Throws an Error with a message for the operator. */
export function planCaddy(inputs: CaddyInputs): CaddyPlan {
  const { publicUrl, tlsCertificates, httpsPort, httpPort, apiPort, gatewayPort } = inputs;
  if (publicUrl !== '' && !publicUrl.startsWith('https://'))
    throw new Error(`BOTEL_PUBLIC_URL must begin with https:// for TLS; it is ${publicUrl}`);
  if (httpsPort === httpPort) throw new Error('BOTEL_HTTPS_PORT and BOTEL_HTTP_PORT must not be the same');
  const address = publicUrl || `https://localhost${portPart(httpsPort)}`;
  const { hostname, port } = new URL(address);
  const certificates = tlsCertificates === 'auto' ? (isPublicName(hostname) ? 'public' : 'local') : tlsCertificates;
  const inFront = inputs.trustedProxies.filter((range) => !isLoopback(range));
  return {
    certificates,
    address,
    environment: {
      // Caddy listens on its configured port, whichever external port is forwarded to it.
      BOTEL_PUBLIC_URL: `https://${hostname}`,
      CADDY_REDIRECT_PORT: portPart(Number(port || 443)),
      BOTEL_TLS_CERTIFICATES: certificates,
      BOTEL_HTTPS_PORT: String(httpsPort),
      BOTEL_HTTP_PORT: String(httpPort),
      BOTEL_PORT: String(apiPort),
      BOTEL_GATEWAY_PORT: String(gatewayPort),
      CADDY_PROXIES_IN_FRONT: inFront.join(' '),
    },
  };
}

function portPart(port: number): string {
  return port === 443 ? '' : `:${port}`;
}

/** Caddy itself connects from loopback, so such ranges say nothing about other proxies. */
function isLoopback(range: string): boolean {
  return range === '::1' || range.startsWith('127.') || range.startsWith('::ffff:127.');
}

const privateSuffixes = ['localhost', 'local', 'internal', 'test', 'example', 'invalid', 'lan', 'home', 'home.arpa'];

/** Whether a public authority could certify the name, judged by the name alone. */
export function isPublicName(hostname: string): boolean {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || !hostname.includes('.')) return false;
  return !privateSuffixes.some((suffix) => hostname.endsWith(`.${suffix}`));
}

/** Whether the output of `caddy version` (`2.6.2`, `v2.8.4 h1:…`) is `oldestCaddy` or newer. */
export function isCaddyNewEnough(output: string): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(output.trim());
  if (!parts) return false;
  const oldest = oldestCaddy.split('.').map(Number);
  for (const [index, least] of oldest.entries()) {
    const found = Number(parts[index + 1]);
    if (found !== least) return found > least;
  }
  return true;
}
