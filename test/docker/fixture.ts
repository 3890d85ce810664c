// The real server on the real engine for tests in containers: in this process, or as a child that
// may be killed. Has a data folder of its own and takes away every container and file that it made.
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BotelClient } from '@botel/contract/client';
import { pino } from 'pino';
import { loadConfig } from '../../packages/server/src/core/config/config.ts';
import { DockerClient } from '../../packages/server/src/agent/engine/docker/client.ts';
import { Server } from '../../packages/server/src/cli/server.ts';
import { usePasswordCost } from '../../packages/server/src/api/services/password.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { noRates } from '../../packages/server/test/support/no-rates.ts';
import { serve } from '../../packages/server/test/support/served-process.ts';
import { serveSplit, type SplitServer } from '../../packages/server/test/support/split-server.ts';
import { unmountHomes } from '../../packages/server/test/support/unmount-homes.ts';

usePasswordCost('cheap');

export const adminEmail = 'admin@example.com';
export const adminPassword = 'correct horse battery';

const engineHost = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
/** Set by `./botel test --runtime`, which gives the tests an engine of their own. */
export const testRuntime = process.env.TEST_CONTAINER_RUNTIME;
const clearDeadlineMs = 60_000;

/** What a server of an install of its own is reached and checked by. */
interface Ground {
  url: string;
  /** Signed in as the admin, with `token`. */
  client: BotelClient;
  token: string;
  /** The data folder. */
  directory: string;
  installId: string;
  /** For looking at containers, and for what strangers do to them. */
  engine: DockerClient;
}

/** Disposal deletes all bots, waits until no container of the install is left, ends the server,
 * removes its folder. */
export interface DockerServer extends Ground, AsyncDisposable {}

export interface LocalServer extends DockerServer {
  server: Server;
}

export interface ServerProcess extends DockerServer {
  readonly pid: number;
  /** Sends a signal and resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts again after `kill`, at the same address: clients and tokens stay good; `more` settings
   * are for this start. */
  restart(more?: Record<string, string>): Promise<void>;
  /** Starts again with a failpoint, where the process then dies: `arm('before.create')`, act,
   * `await dies()`. */
  arm(failpoint: string): Promise<void>;
  /** Resolves when the process died by itself. */
  dies(): Promise<void>;
}

/** Starts a server in this process; `settings` are environment variables. Every response is
 * checked. */
export async function startDockerServer(settings: Record<string, string> = {}): Promise<LocalServer> {
  const directory = makeDirectory();
  const config = { ...loadConfig(environmentOf(directory, settings), directory), checkResponses: true };
  const server = await Server.create(config, { logger: pino({ level: config.logLevel }) });
  const fixture = await openEnvironment(await server.start(), directory, config.dockerHost);
  return {
    ...fixture,
    server,
    async [Symbol.asyncDispose]() {
      await using _ = { [Symbol.asyncDispose]: () => closeEnvironment(fixture, () => server.stop()) };
      await deleteBots(fixture);
    },
  };
}

export interface FirstRun extends AsyncDisposable {
  url: string;
  /** Makes the first account, which must become that of the admin above. */
  setupToken: string;
}

/** As startDockerServer, before anybody has an account. */
export async function startFirstRun(): Promise<FirstRun> {
  const directory = makeDirectory();
  const nobody = { BOTEL_ADMIN_EMAIL: '', BOTEL_ADMIN_PASSWORD: '' };
  const config = loadConfig(environmentOf(directory, nobody), directory);
  const server = await Server.create(config, { logger: pino({ level: config.logLevel }) });
  const url = await server.start();
  const setupToken = (await server.services.accounts.makeSetupToken()) ?? '';
  return {
    url,
    setupToken,
    async [Symbol.asyncDispose]() {
      // A walk that failed may have left no account.
      const token = await server.services.accounts.makeSetupToken();
      const account = { email: adminEmail, password: adminPassword };
      if (token !== null) await new BotelClient(url).call('POST', '/setup', { token, ...account });
      const fixture = await openEnvironment(url, directory, config.dockerHost);
      await using _ = { [Symbol.asyncDispose]: () => closeEnvironment(fixture, () => server.stop()) };
      await deleteBots(fixture);
    },
  };
}

/** Starts `botel serve` as a child. What it prints is shown only when it ends unasked. */
export async function spawnDockerServer(settings: Record<string, string> = {}): Promise<ServerProcess> {
  const directory = settings.BOTEL_DATA_DIR ?? makeDirectory();
  const environment = environmentOf(directory, settings);
  let child = await serve(environment);
  const fixture = await openEnvironment(child.url, directory, environment.BOTEL_DOCKER_HOST);
  environment.BOTEL_PORT = new URL(child.url).port;
  return {
    ...fixture,
    get pid() {
      return child.pid;
    },
    kill: (signal) => child.end(signal),
    async restart(more) {
      child = await serve({ ...environment, ...more });
    },
    async arm(failpoint) {
      await child.end('SIGTERM');
      child = await serve({ ...environment, BOTEL_TEST: '1', BOTEL_FAILPOINT: failpoint });
    },
    dies: () => child.dies(),
    async [Symbol.asyncDispose]() {
      await using _ = { [Symbol.asyncDispose]: () => closeEnvironment(fixture, () => child.end('SIGTERM')) };
      // The bots of a server that is down are taken away by closeEnvironment.
      if (child.isAlive()) await deleteBots(fixture);
    },
  };
}

export interface DockerSplitServer extends DockerServer {
  halves: SplitServer;
}

/** As spawnDockerServer, but api and agent are two processes, the api one without rights where that
 * can be had. */
export async function spawnDockerSplit(settings: Record<string, string> = {}): Promise<DockerSplitServer> {
  const directory = makeDirectory();
  const environment = environmentOf(directory, settings);
  const halves = await serveSplit(environment);
  const fixture = await openEnvironment(halves.api.url, directory, environment.BOTEL_DOCKER_HOST);
  return {
    ...fixture,
    halves,
    async [Symbol.asyncDispose]() {
      await using _ = {
        [Symbol.asyncDispose]: () => closeEnvironment(fixture, async () => await halves[Symbol.asyncDispose]()),
      };
      if (halves.api.isAlive() && halves.agent.isAlive()) await deleteBots(fixture);
    },
  };
}

/** A server that somebody else started, on the machine's engine; `end` ends it and what lies in the
 * way of its folder. */
export async function attachServer(url: string, directory: string, end: () => Promise<void>): Promise<DockerServer> {
  const fixture = await openEnvironment(url, directory);
  return {
    ...fixture,
    async [Symbol.asyncDispose]() {
      await using _ = { [Symbol.asyncDispose]: () => closeEnvironment(fixture, end) };
      await deleteBots(fixture);
    },
  };
}

function makeDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'botel-docker-'));
}

function environmentOf(directory: string, settings: Record<string, string>): Record<string, string> {
  return {
    BOTEL_PORT: '0',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'docker',
    BOTEL_DOCKER_HOST: engineHost,
    BOTEL_IMAGE_SOURCE: 'build',
    BOTEL_ADMIN_EMAIL: adminEmail,
    BOTEL_ADMIN_PASSWORD: adminPassword,
    BOTEL_DEFAULT_PLAN_MEMORY_MB: '1048576',
    BOTEL_DEFAULT_PLAN_BOTS: '1000',
    // What one test downloads must not be what another one sees.
    BOTEL_DOWNLOAD_CACHE_MB: '0',
    BOTEL_LOG_LEVEL: 'silent',
    ...noRates,
    // An engine of a test's own has its bridge in another network namespace.
    ...((settings.BOTEL_DOCKER_HOST || testRuntime) && { BOTEL_FIREWALL: 'off' }),
    ...(testRuntime && { BOTEL_CONTAINER_RUNTIME: testRuntime }),
    ...settings,
  };
}

async function openEnvironment(url: string, directory: string, host = engineHost): Promise<Ground> {
  const client = new BotelClient(url);
  const { token } = await client.login(adminEmail, adminPassword);
  const installId = readFileSync(join(directory, 'install-id'), 'utf8').trim();
  return { url, client, token, directory, installId, engine: new DockerClient(host) };
}

async function deleteBots({ client, engine, installId }: Ground): Promise<void> {
  let bots = await client.bots();
  while (bots.length > 0) {
    await Promise.all(bots.map((bot) => client.deleteBot(bot.id, true)));
    bots = await client.bots();
  }
  await until(async () => (await containersOf(engine, installId)).length === 0, clearDeadlineMs);
}

/** Ends the server and leaves nothing, whatever state a failed test left behind. */
async function closeEnvironment(
  { engine, installId, directory }: Ground,
  endServer: () => Promise<void>,
): Promise<void> {
  await endServer();
  for (const id of await containersOf(engine, installId))
    await engine.request('DELETE', `/containers/${id}?force=1&v=1`);
  for (const id of await imagesOf(engine, installId)) await engine.request('DELETE', `/images/${id}`);
  await engine.close();
  // Of bots of a test that failed, or whose server was killed.
  unmountHomes(directory);
  await rm(directory, { recursive: true, force: true });
}

/** Ids of all containers that carry the install's label. */
export async function containersOf(engine: DockerClient, installId: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [`botel.install=${installId}`] });
  const { body } = await engine.request('GET', '/containers/json', { query: { all: true, filters } });
  return (body as { Id: string }[]).map(({ Id }) => Id);
}

/** Ids of all images with packages that the install made. */
export async function imagesOf(engine: DockerClient, installId: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [`botel.packages.install=${installId}`] });
  const { body } = await engine.request('GET', '/images/json', { query: { filters } });
  return (body as { Id: string }[]).map(({ Id }) => Id);
}
