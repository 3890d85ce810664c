// `botel serve`: the server in the foreground until it is told to end.
import { type Logger, pino } from 'pino';
import { checkoutPath } from '../checkout.ts';
import { type Config, loadConfig } from '../config/config.ts';
import { processEnvironment } from '../config/env.ts';
import { armFailpoint } from '../lib/failpoint.ts';
import { openGatewayProcess } from '../compose-gateway.ts';
import type { LockedRole, Role } from '../data-lock.ts';
import { Server } from '../server.ts';
import { plainLog } from './plain-log.ts';

/** The configuration of this process; relative paths are below the checkout. */
export function ownConfig(): Config {
  return loadConfig(processEnvironment(checkoutPath()), checkoutPath());
}

/** `role`: one half of the server, or the gateway alone, instead of the whole. */
export async function serve({ role = 'single' }: { role?: LockedRole } = {}): Promise<void> {
  if (role === 'gateway') return serveGateway(ownConfig());
  const running = await startServer(ownConfig(), role);
  console.log(`Botel listens on ${running.url}`);
  printApps(running.server.appsAddress);
  if (role !== 'agent') await running.printSetup();
  await running.ended;
}

/** A server that ends with SIGINT or SIGTERM; a second signal ends the process at once. */
export interface RunningServer {
  server: Server;
  url: string;
  /** Resolves after a clean end. */
  ended: Promise<void>;
  /** Prints the one-time setup link while there are no accounts. */
  printSetup(): Promise<void>;
}

export async function startServer(config: Config, role: Role = 'single'): Promise<RunningServer> {
  if (config.failpoint) armFailpoint(config.failpoint);
  const server = await Server.create(config, { logger: loggerOf(config), role });
  const url = await server.start();
  const ended = endWithSignal((signal) => {
    const isStopping = config.botsOnExit === 'stop' && role !== 'api';
    const bots = isStopping ? 'running bots are stopped until the next start' : 'running bots go on';
    console.log(`\nEnding on ${signal}; ${bots}.`);
    return server.stop();
  });
  return {
    server,
    url,
    ended,
    async printSetup() {
      const token = await server.services.accounts.makeSetupToken();
      if (!token) return;
      console.log('\nThere is no account yet. Make the first admin with this one-time token:\n');
      console.log(`  ${config.publicUrl || url}/dashboard/setup#${token}\n`);
      console.log(`or: curl -X POST ${url}/setup -H 'Content-Type: application/json' \\`);
      console.log(`      -d '{"token":"${token}","email":"you@example.com","password":"at least 12 characters"}'\n`);
    },
  };
}

/** The gateway alone, over the store of a running server. */
async function serveGateway(config: Config): Promise<void> {
  if (config.failpoint) armFailpoint(config.failpoint);
  const gateway = await openGatewayProcess(config, { logger: loggerOf(config) });
  const address = await gateway.open().catch(async (error) => {
    await gateway.close();
    throw error;
  });
  printApps(address);
  await endWithSignal((signal) => {
    console.log(`\nEnding on ${signal}.`);
    return gateway.close();
  });
}

export function printApps(address: string | null): void {
  if (address !== null) console.log(`Apps are served on ${address}`);
}

/** Resolves when `end`, begun by SIGINT or SIGTERM, is through; a second signal ends the process at once. */
function endWithSignal(end: (signal: NodeJS.Signals) => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onSignal = (signal: NodeJS.Signals) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(name);
      process.once(name, () => process.exit(130));
    }
    end(signal).then(resolve, reject);
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return promise;
}

function loggerOf({ logLevel }: Config): Logger {
  return pino({ level: logLevel }, process.stderr.isTTY ? plainLog : pino.destination(2));
}
