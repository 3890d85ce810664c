// `botel serve`: runs the server in the foreground until a signal ends it.
import type { Config } from '../core/config/config.ts';
import { armFailpoint } from '../core/lib/failpoint.ts';
import { usePasswordCost } from '../api/services/password.ts';
import type { ServerRole } from '../core/data-folder/data-lock.ts';
import { Server } from './server.ts';
import { endWithSignal, exitSoon, loggerOf, printApps } from './foreground.ts';
import { ownConfig } from './own-config.ts';

/** `role`: run only this part of the server. */
export async function serve({ role = 'single' }: { role?: ServerRole } = {}): Promise<void> {
  const running = await startServer(ownConfig(), role);
  console.log(`Botel listens on ${running.url}`);
  printApps(running.server.appsAddress);
  if (role !== 'agent') await running.printSetup();
  await running.ended;
  exitSoon();
}

/** A server that stops on SIGINT or SIGTERM; a second signal ends the process at once. */
export interface RunningServer {
  server: Server;
  url: string;
  /** Resolves after a clean stop. */
  ended: Promise<void>;
  /** Prints the one-time setup link while there are no accounts. */
  printSetup(): Promise<void>;
}

export async function startServer(config: Config, role: ServerRole = 'single'): Promise<RunningServer> {
  if (config.failpoint) armFailpoint(config.failpoint);
  if (config.cheapPasswords) usePasswordCost('cheap');
  const server = await Server.create(config, { logger: loggerOf(config), role });
  const url = await server.start();
  const ended = endWithSignal((signal) => {
    const isStopping = config.botsOnExit === 'stop' && role !== 'api';
    const bots = isStopping ? 'running bots are stopped until the next start' : 'running bots keep running';
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
      console.log('\nThere is no account yet. Create the first admin with this one-time link:\n');
      console.log(`  ${config.publicUrl || url}/dashboard/setup#${token}\n`);
      console.log(`or: curl -X POST ${url}/setup -H 'Content-Type: application/json' \\`);
      console.log(`      -d '{"token":"${token}","email":"you@example.com","password":"at least 12 characters"}'\n`);
    },
  };
}
