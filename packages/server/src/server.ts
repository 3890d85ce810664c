// Composition root: makes the whole server of a Config out of its composed parts, starts and stops it in the right order.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Agent } from './compose-agent.ts';
import { composeApp } from './compose-app.ts';
import { closeData, type Data, openData } from './compose-data.ts';
import { composeHomes } from './compose-homes.ts';
import type { Config } from './config/config.ts';
import type { Engine } from './engine/engine.ts';
import type { Clock } from './lib/clock.ts';
import type { Ids } from './lib/ids.ts';
import { makeEngine, noLimit } from './make-engine.ts';
import { makeServices } from './make-services.ts';
import { type NetworkGuard, noGuard } from './network/firewall.ts';
import { OpenStreams } from './services/open-streams.ts';
import type { Services } from './services/services.ts';

/** Replacements for tests. */
export interface Overrides {
  engine?: Engine;
  /** Of the network of `engine`; without it nobody guards. */
  guard?: NetworkGuard;
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** False: periodic tasks run by `runTask` only. */
  periodicTasks?: boolean;
}

/** Everything that Server.create made. */
interface Made {
  config: Config;
  data: Data;
  services: Services;
  streams: OpenStreams;
  app: FastifyInstance;
  agent: Agent;
}

export class Server {
  readonly services: Services;
  readonly #made: Made;

  private constructor(made: Made) {
    this.#made = made;
    this.services = made.services;
  }

  /** Opens the data folder and builds all parts; nothing runs yet. Rejects with a plain sentence when it can't. */
  static async create(config: Config, overrides: Overrides = {}): Promise<Server> {
    const data = await openData(config, overrides);
    try {
      return new Server(await make(config, data, overrides));
    } catch (error) {
      data.lock.release();
      throw error;
    }
  }

  /** Starts the reconciler and listens; resolves with the address under which it is reached on this machine. */
  async start(): Promise<string> {
    const { config, app, agent } = this.#made;
    // First: with its port taken nothing may run, or the process would stay and go on without an API.
    await app.listen({ host: config.host, port: config.port });
    await agent.start();
    const { address, port, family } = app.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Ends streams and requests, then the reconciler; bots go on, or are taken down where the settings say so. */
  async stop(): Promise<void> {
    const { data, app, services, streams, agent } = this.#made;
    await streams.close();
    const schedulesEnd = services.scheduleRunner.close();
    await services.backups.close();
    await schedulesEnd;
    await app.close();
    await agent.stop();
    await closeData(data);
  }

  /** Runs a periodic task now. For tests. */
  runTask(name: string): Promise<void> {
    return this.#made.agent.runTask(name);
  }

  /** Resolves when nothing can be done at this moment. For tests. */
  settle(): Promise<void> {
    return this.#made.agent.settle();
  }
}

async function make(config: Config, data: Data, overrides: Overrides): Promise<Made> {
  const { clock, ids, logger, installId } = data;
  const made = overrides.engine
    ? { engine: overrides.engine, guard: overrides.guard ?? noGuard, limit: noLimit }
    : makeEngine(config, { installId, clock, ids, report: (level, ...entry) => logger[level](...entry) });
  const folders = await composeHomes(config, clock, made.engine);
  const streams = new OpenStreams(config.streamsPerUser);
  const services = makeServices(config, {
    ...data,
    ...folders,
    guard: made.guard,
    streams,
    report: (error, id) => logger.error({ err: error, id }, 'restore or schedule failed'),
  });
  const { periodicTasks = true } = overrides;
  const agent = await Agent.create(config, { data, folders, made, services, periodicTasks });
  await makeFirstAdmin(config, services, data);
  const app = await composeApp(config, { services, logger, clock });
  return { config, data, services, streams, app, agent };
}

/** The admin of the settings, unless there are accounts already. */
async function makeFirstAdmin(config: Config, services: Services, { stores }: Data): Promise<void> {
  if (!config.adminEmail || (await stores.accounts.listUsers()).length > 0) return;
  await services.accounts.create(config.adminEmail, config.adminPassword, 'admin');
}
