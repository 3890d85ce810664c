// The TLS part of `botel up --tls`: checks Caddy and its ports first, starts it, prints its URL.
import { join } from 'node:path';
import type { Config } from '../core/config/config.ts';
import { portState } from '../core/lib/port-state.ts';
import { CaddyProcess } from './setup/caddy-process.ts';
import { type CaddyPlan, planCaddy } from './setup/caddy-plan.ts';
import { installCaddy, isCaddyServiceActive } from './setup/install-caddy.ts';

/** Where Caddy expects a separate gateway process when this server has no gateway. */
const defaultGatewayPort = 8081;

/** Caddy, ready to start once the server listens. */
export interface PreparedCaddy {
  /** URL of the API and the dashboard for browsers. */
  address: string;
  /** Resolves once Caddy serves. `url`: of the API; `appsAddress`: of this server's gateway. */
  start(url: string, appsAddress: string | null): Promise<CaddyProcess>;
}

/** Installs Caddy when missing. Rejects with an Error with a message for the operator. */
export async function prepareCaddy(config: Config): Promise<PreparedCaddy> {
  const { address } = planFor(config, { api: config.port, gateway: config.gatewayPort });
  if (!['127.0.0.1', '0.0.0.0', '::', 'localhost'].includes(config.host))
    throw new Error(`Caddy connects to Botel at 127.0.0.1, but BOTEL_HOST is ${config.host}: remove that setting`);
  const program = await installCaddy((text) => console.log(text));
  await demandPort('BOTEL_HTTPS_PORT', config.httpsPort);
  await demandPort('BOTEL_HTTP_PORT', config.httpPort);
  return {
    address,
    async start(url, appsAddress) {
      const gateway = appsAddress === null ? config.gatewayPort : Number(/\d+$/.exec(appsAddress)?.[0]);
      const plan = planFor(config, { api: Number(new URL(url).port), gateway });
      const caddy = await CaddyProcess.start({
        program,
        dataDirectory: config.dataDirectory,
        environment: plan.environment,
        port: config.httpsPort,
        report: (text) => process.stderr.write(`${text}\n`),
      });
      console.log(`Caddy serves ${plan.address} and apps below ${config.appsDomain}`);
      if (plan.certificates === 'local') explainLocal(config, plan.address);
      return caddy;
    },
  };
}

function planFor(config: Config, ports: { api: number; gateway: number | null }): CaddyPlan {
  return planCaddy({ ...config, apiPort: ports.api, gatewayPort: ports.gateway ?? defaultGatewayPort });
}

/** Rejects with advice when Caddy can't listen there. */
async function demandPort(setting: string, port: number): Promise<void> {
  const state = await portState(port);
  if (state === 'free') return;
  if (state === 'denied')
    throw new Error(`This user may not listen on port ${port}: use sudo, or set ${setting} to a port above 1023`);
  const advice = (await isCaddyServiceActive())
    ? "The caddy service is running: stop it (systemctl disable --now caddy), or give it Botel's Caddyfile (docs/tls.md)"
    : `Stop the program that listens there (ss -ltnp 'sport = :${port}' shows it), or set ${setting}`;
  throw new Error(`Port ${port} is taken. ${advice}`);
}

function explainLocal({ dataDirectory }: Config, address: string): void {
  const root = join(dataDirectory, 'caddy/pki/authorities/local/root.crt');
  console.log(`
A certificate authority on this machine signs the certificates. To trust it in one program:

  curl --cacert ${root} ${address}/health

In all of this machine, except browsers, which need the file imported:

  cp ${root} /usr/local/share/ca-certificates/botel.crt && update-ca-certificates
`);
}
