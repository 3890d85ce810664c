// Composition root: makes a whole server of a Config, or one half of it, out of composed parts; starts and stops them in
// the right order.
import type { Logger } from 'pino';
import { Agent } from './compose-agent.ts';
import { closeData, type Data, openData } from './compose-data.ts';
import { agentFront, type Front, publicFront } from './compose-fronts.ts';
import { composeGateway } from './compose-gateway.ts';
import { absentHomes, composeHomes } from './compose-homes.ts';
import { agentSide, apiSide, askDiskUse, guardOver } from './compose-link.ts';
import type { Config } from '../core/config/config.ts';
import type { Role } from '../core/data-folder/data-lock.ts';
import type { Engine } from '../agent/engine/engine.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Ids } from '../core/lib/ids.ts';
import { AgentSocketClient } from '../core/link/agent-socket-client.ts';
import { makeEngine, noLimit } from './make-engine.ts';
import { makeServices } from './make-services.ts';
import { type NetworkGuard, noGuard } from '../agent/network/firewall.ts';
import { OpenStreams } from '../api/services/open-streams.ts';
import type { Services } from '../api/services/services.ts';

/** What is not of the settings: the role, and replacements for tests. */
export interface ServerOptions {
  /** The whole server when left out. */
  role?: Role;
  engine?: Engine;
  /** Of the network of `engine`; without it nobody guards. */
  guard?: NetworkGuard;
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** False: periodic tasks run by `runTask` only. */
  periodicTasks?: boolean;
}

/** Everything that Server.create made. `agent`: null in the half that has none. */
interface Made {
  config: Config;
  data: Data;
  services: Services;
  streams: OpenStreams;
  front: Front;
  /** Of apps; null in a half, and where the settings want none. */
  gateway: Front | null;
  agent: Agent | null;
}

export class Server {
  readonly services: Services;
  /** Where apps are served, with `<name>` for the name of one; null until it was started, and where there is no gateway. */
  appsAddress: string | null = null;
  readonly #made: Made;

  private constructor(made: Made) {
    this.#made = made;
    this.services = made.services;
  }

  /** Opens the data folder and builds all parts; nothing runs yet. Rejects with a plain sentence when it can't. */
  static async create(config: Config, options: ServerOptions = {}): Promise<Server> {
    const { role = 'single' } = options;
    const data = await openData(config, { ...options, role });
    try {
      return new Server(await (role === 'api' ? makeApi(config, data) : makeWithAgent(config, data, options)));
    } catch (error) {
      data.lock.release();
      throw error;
    }
  }

  /** Listens and begins its work; resolves with the address under which it is reached on this machine. */
  async start(): Promise<string> {
    const { front, agent } = this.#made;
    // First: with its port taken nothing may run, or the process would stay and go on without an API.
    const address = await front.open();
    await this.#openGateway();
    await agent?.start();
    return address;
  }

  /** A port that nobody named may be another program's after an upgrade: then bots and API go on without apps. */
  async #openGateway(): Promise<void> {
    const { config, data, front, gateway } = this.#made;
    try {
      this.appsAddress = (await gateway?.open()) ?? null;
    } catch (error) {
      if (!config.gatewayPortIsGiven) return data.logger.error({ err: error }, 'apps are not served');
      await front.close();
      throw error;
    }
  }

  /** Ends streams and requests, then the reconciler; bots go on, or are taken down where the settings say so. */
  async stop(): Promise<void> {
    const { config, data, services, streams, front, gateway, agent } = this.#made;
    const gatewayEnd = gateway?.close();
    await streams.close();
    const schedulesEnd = services.scheduleRunner.close();
    await services.backups.close();
    await schedulesEnd;
    await front.close();
    await gatewayEnd;
    await agent?.stop();
    await closeData(config, data);
  }

  /** Runs a periodic task now. For tests. */
  async runTask(name: string): Promise<void> {
    await this.#made.agent?.runTask(name);
  }

  /** Resolves when nothing can be done at this moment. For tests. */
  async settle(): Promise<void> {
    await this.#made.agent?.settle();
  }
}

/** The whole server, or the half that has the engine and the files of bots. */
async function makeWithAgent(config: Config, data: Data, options: ServerOptions): Promise<Made> {
  const { clock, ids, logger, installId, role } = data;
  const made = options.engine
    ? { engine: options.engine, guard: options.guard ?? noGuard, limit: noLimit }
    : makeEngine(config, { installId, clock, ids, report: (level, ...entry) => logger[level](...entry) });
  const folders = await composeHomes(config, clock, made.engine);
  const { homes, files } = folders;
  const streams = new OpenStreams(config.streamsPerUser);
  const services = makeServices(config, {
    ...data,
    ...folders,
    guard: made.guard,
    agent: { answers: true },
    diskUse: {
      now: (botId) => homes.used(botId),
      lately: (botId) => files.used(botId, { counted: true }),
    },
    streams,
    report: (error, id) => logger.error({ err: error, id }, 'restore or schedule failed'),
  });
  const { periodicTasks = true } = options;
  const agent = await Agent.create(config, { data, folders, made, services, periodicTasks });
  if (role === 'agent') {
    const side = agentSide(data, made.guard, () => services.scheduleRunner.look());
    const front = await agentFront(config, { data, services, folders, side });
    return { config, data, services, streams, front, gateway: null, agent };
  }
  await makeFirstAdmin(config, services, data);
  const front = await publicFront(config, { data, services, link: null });
  return { config, data, services, streams, front, gateway: composeGateway(config, data), agent };
}

/** The half that faces the network: it has neither engine nor files of bots. */
async function makeApi(config: Config, data: Data): Promise<Made> {
  const { clock, logger, database, stores } = data;
  const link = new AgentSocketClient({
    socketPath: config.agentSocket,
    side: apiSide(data),
    version: () => database.dataVersion(),
    report: (isUp) => logger[isUp ? 'info' : 'warn'](isUp ? 'the agent answers' : 'the agent does not answer'),
  });
  const streams = new OpenStreams(config.streamsPerUser);
  const services = makeServices(config, {
    ...data,
    ...absentHomes(config, clock),
    guard: guardOver(link),
    agent: link,
    diskUse: {
      now: async (botId) => stores.usageCache.disk(botId) ?? { bytes: 0, files: 0 },
      lately: (botId) => askDiskUse(link, data, botId),
    },
    streams,
    report: (error, id) => logger.error({ err: error, id }, 'restore or schedule failed'),
  });
  await makeFirstAdmin(config, services, data);
  const front = await publicFront(config, { data, services, link });
  return { config, data, services, streams, front, gateway: null, agent: null };
}

/** The admin of the settings, unless there are accounts already. */
async function makeFirstAdmin(config: Config, services: Services, { stores }: Data): Promise<void> {
  if (!config.adminEmail || (await stores.accounts.listUsers()).length > 0) return;
  await services.accounts.create(config.adminEmail, config.adminPassword, 'admin');
}
