// TLS in front of Botel: the certificate at the https port, and whether Caddy can ask about names.
import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import type { Config } from '../../../core/config/config.ts';
import { caddyVersion, findCaddy } from '../../setup/install-caddy.ts';
import { isCaddyNewEnough, oldestCaddy } from '../../setup/caddy-plan.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

const patienceMs = 3_000;
const dayMs = 86_400_000;
/** Automatic renewal happens well before this. */
const soonDays = 7;

export const tls: Check = {
  name: 'tls',
  async run(config) {
    const { hostname, protocol } = new URL(config.publicUrl || 'http://localhost');
    if (protocol !== 'https:' && !(await answersTls('localhost', config.httpsPort)))
      return [ok('plain HTTP; ./botel up --tls serves https')];
    return [
      ...(await caddyFindings()),
      judgeServed(hostname, config.httpsPort, await answersTls(hostname, config.httpsPort), Date.now()),
      ...(await askFindings(config)),
    ];
  },
};

/** The certificate served for a name. `isTrusted`: this machine trusts its issuer. */
export interface Served {
  validTo: number;
  isTrusted: boolean;
  fault: string;
}

/** `served` null: no answer, or not for this name. */
export function judgeServed(hostname: string, port: number, served: Served | null, now: number): Finding {
  if (served === null) {
    return warn(
      `nothing serves https for ${hostname} on port ${port} of this machine`,
      './botel up --tls starts Caddy; see docs/tls.md. Fine if another machine terminates TLS.',
    );
  }
  const days = Math.floor((served.validTo - now) / dayMs);
  const until = new Date(served.validTo).toISOString().slice(0, 10);
  if (served.validTo <= now)
    return fix(`the certificate of ${hostname} expired on ${until}`, 'Read the log of the server that uses it.');
  if (!served.isTrusted)
    return warn(`this machine does not trust the certificate of ${hostname}: ${served.fault}`, 'See docs/tls.md.');
  if (days < soonDays)
    return warn(
      `the certificate of ${hostname} expires on ${until}`,
      'It should have been renewed by now: read the log of the server that uses it.',
    );
  return ok(`${hostname} is served with a certificate until ${until}`);
}

async function caddyFindings(): Promise<Finding[]> {
  const program = await findCaddy();
  if (program === null) return [];
  const version = await caddyVersion(program).catch(() => '');
  if (isCaddyNewEnough(version)) return [ok(`Caddy ${version.split(' ')[0]} is installed`)];
  return [warn(`${program} is older than ${oldestCaddy}: up --tls cannot use it`, 'Install a newer Caddy.')];
}

/** Needs a running Botel; without one, the check of the port says why. */
async function askFindings({ host, port }: Config): Promise<Finding[]> {
  const url = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}/internal/tls-ask`;
  const status = await fetch(`${url}?domain=unknown.invalid`, { signal: AbortSignal.timeout(patienceMs) })
    .then((response) => response.status)
    .catch(() => null);
  if (status === null) return [];
  if (status === 404) return [ok('Botel tells Caddy which names get certificates')];
  return [fix(`Botel answers ${status} when Caddy asks about a name`, "Set BOTEL_PORT to Botel's port.")];
}

/** Null when the handshake fails or times out. */
function answersTls(hostname: string, port: number): Promise<Served | null> {
  // SNI takes no addresses.
  const servername = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
  const { promise, resolve } = Promise.withResolvers<Served | null>();
  const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, timeout: patienceMs });
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerCertificate() as PeerCertificate;
    resolve({
      validTo: Date.parse(certificate.valid_to),
      isTrusted: socket.authorized,
      fault: String(socket.authorizationError ?? ''),
    });
  });
  for (const event of ['error', 'timeout'] as const) socket.once(event, () => resolve(null));
  return promise.finally(() => socket.destroy());
}
