// The fixture of API tests: the real server on port 0 with a folder of its own and the fake engine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BotelClient } from '@botel/contract/client';
import { pino } from 'pino';
import { type Config, loadConfig } from '../../src/core/config/config.ts';
import { FakeEngine } from '../../src/agent/engine/fake/fake-engine.ts';
import type { FakeFaults } from '../../src/agent/engine/fake/fake-faults.ts';
import { FakeMachine } from '../../src/agent/engine/fake/fake-machine.ts';
import { type Clock, systemClock } from '../../src/core/lib/clock.ts';
import { systemIds } from '../../src/core/lib/ids.ts';
import type { NetworkGuard } from '../../src/agent/network/firewall.ts';
import { Server } from '../../src/cli/server.ts';
import { usePasswordCost } from '../../src/api/services/password.ts';
import { noRates } from './no-rates.ts';

usePasswordCost('cheap');

export const adminEmail = 'admin@example.com';
export const adminPassword = 'correct horse battery';

/** A running server. `client` is signed in as the admin, `stranger` as another user; `guest` has no
 * token. */
export interface Fixture {
  server: Server;
  url: string;
  machine: FakeMachine;
  client: BotelClient;
  stranger: BotelClient;
  guest: BotelClient;
  /** A valid token of the admin. */
  token: string;
  /** Its data folder. */
  directory: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server; `settings` are environment variables. Without a guard the network counts as
 * closed. */
export async function startFixture(
  settings: Record<string, string> = {},
  guard?: NetworkGuard,
  { clock = systemClock, faults }: { clock?: Clock; faults?: FakeFaults } = {},
): Promise<Fixture> {
  const directory = mkdtempSync(join(tmpdir(), 'botel-test-'));
  const config: Config = {
    ...loadConfig(
      {
        BOTEL_PORT: '0',
        BOTEL_DATA_DIR: directory,
        BOTEL_ENGINE: 'fake',
        BOTEL_ADMIN_EMAIL: adminEmail,
        BOTEL_ADMIN_PASSWORD: adminPassword,
        BOTEL_LOG_LEVEL: 'silent',
        ...noRates,
        // However little memory this machine has.
        BOTEL_REGISTRATION_MEMORY_PERCENT: '1000000',
        // Nobody answers there: tests ask no name servers of others.
        BOTEL_DNS_SERVERS: '127.0.0.1:9',
        // However full the disk of this machine is.
        BOTEL_DISK_REFUSE_PERCENT: '100',
        ...settings,
      },
      directory,
    ),
    checkResponses: true,
  };
  const machine = new FakeMachine({ clock, ids: systemIds, directory: join(directory, 'fake') });
  const server = await Server.create(config, {
    engine: new FakeEngine({ machine, installId: 'test', ...(faults && { faults }) }),
    clock,
    logger: pino({ level: config.logLevel }),
    guard,
    periodicTasks: false,
  });
  const url = await server.start();
  const client = new BotelClient(url);
  const { token } = await client.login(adminEmail, adminPassword);
  const stranger = new BotelClient(url);
  await server.services.accounts.create('stranger@example.com', 'a stranger to them', 'user').catch((error) => {
    // In a folder of an earlier server.
    if (error.code !== 'already_exists') throw error;
  });
  await stranger.login('stranger@example.com', 'a stranger to them');
  return {
    server,
    url,
    machine,
    client,
    stranger,
    guest: new BotelClient(url),
    token,
    directory: config.dataDirectory,
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Body for POST /bots/create that is right in every field. */
export const goodBot = {
  name: 'greeter',
  language: 'nodejs',
  memory: 256,
  startup_command: 'node index.js',
} as const;
