// What Caddy is told so that it stands in front of Botel: who signs certificates, the variables of
// packaging/caddy/Caddyfile, and whether a version of Caddy will do. Pure.
import { isIP } from 'node:net';

/** The oldest that knows all that the Caddyfile says; Debian 12 and Ubuntu 24.04 have it. */
export const oldestCaddy = '2.6.2';

type CertificateSource = 'public' | 'local';

/** The settings that Caddy depends on, and where the API and the gateway listen. */
export interface CaddyInputs {
  /** Without a slash at its end; '' when not set. */
  publicUrl: string;
  tlsCertificates: 'auto' | CertificateSource;
  httpsPort: number;
  httpPort: number;
  /** Addresses and ranges whose X-Forwarded-For the API believes. */
  trustedProxies: readonly string[];
  apiPort: number;
  gatewayPort: number;
}

export interface CaddyPlan {
  certificates: CertificateSource;
  /** Where browsers find the API and the dashboard. */
  address: string;
  /** Variables of the Caddyfile. */
  environment: Record<string, string>;
}

/** Throws an Error for the operator to read. */
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
      // Caddy listens where it is told, whatever port leads there from outside.
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

/** Caddy itself is on loopback: what comes from there is the machine's own, and says nothing about
 * others. */
function isLoopback(range: string): boolean {
  return range === '::1' || range.startsWith('127.') || range.startsWith('::ffff:127.');
}

const privateSuffixes = ['localhost', 'local', 'internal', 'test', 'example', 'invalid', 'lan', 'home', 'home.arpa'];

/** Whether a public authority can give a certificate for the name, as far as the name itself
 * says. */
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
