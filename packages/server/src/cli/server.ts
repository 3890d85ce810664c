// Combines the processes of a Botel, or a single role; starts and stops them in order.
import { type Logger, pino } from 'pino';
import { type Agent, createAgent } from '../agent/compose.ts';
import type { Engine } from '../agent/engine/engine.ts';
import type { NetworkGuard } from '../agent/network/firewall.ts';
import { agentRoutes } from '../agent/routes/routes.ts';
import { type Api, createApi } from '../api/compose.ts';
import { apiLinkEndpoint } from '../api/link-endpoint.ts';
import type { Services } from '../api/services/services.ts';
import { SocketAgentClient } from '../api/socket-agent-client.ts';
import type { Config } from '../core/config/config.ts';
import { type DataFolder, openDataFolder } from '../core/data-folder/data-folder.ts';
import type { ServerRole } from '../core/data-folder/data-lock.ts';
import { type Clock, systemClock } from '../core/lib/clock.ts';
import { type Ids, systemIds } from '../core/lib/ids.ts';
import type { AgentClient } from '../core/link/agent-client.ts';
import { createGateway, type GatewayProcess } from '../gateway/compose.ts';
import { runDoctorInWorker } from './doctor/run-doctor-in-worker.ts';

/** Options beyond the settings: the role, and replacements for tests. */
export interface ServerOptions {
  /** Absent = the whole server. */
  role?: ServerRole;
  engine?: Engine;
  /** Guard of the network of `engine`; absent = none. */
  guard?: NetworkGuard;
  clock?: Clock;
  ids?: Ids;
  logger?: Logger;
  /** False: periodic tasks run only by `runTask`. */
  periodicTasks?: boolean;
}

/** The processes of the role; null = not included. */
interface Processes {
  api: Api | null;
  agent: Agent | null;
  /** Also null when the settings disable the gateway. */
  gateway: GatewayProcess | null;
}

interface Foundation {
  data: DataFolder;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export class Server {
  /** Address of apps, with `<name>` for the name; null before the start and without a gateway. */
  appsAddress: string | null = null;
  readonly #config: Config;
  readonly #foundation: Foundation;
  readonly #processes: Processes;
  /** The listener: the api, or the agent's socket in the role `agent`. */
  readonly #front: { open(): Promise<string>; close(): Promise<void> };

  private constructor(config: Config, foundation: Foundation, processes: Processes) {
    this.#config = config;
    this.#foundation = foundation;
    this.#processes = processes;
    const front = processes.api ?? processes.agent?.listenOnSocket();
    if (!front) throw new Error('A server is an api, an agent or both');
    this.#front = front;
  }

  /** Opens the data folder and builds all parts; starts nothing. Rejects with a plain sentence. */
  static async create(config: Config, options: ServerOptions = {}): Promise<Server> {
    const { role = 'single', clock = systemClock, ids = systemIds } = options;
    const logger = options.logger ?? pino({ level: config.logLevel });
    const data = await openDataFolder(config, role, { clock, ids });
    try {
      const foundation = { data, clock, ids, logger };
      return new Server(config, foundation, await createProcesses(config, foundation, { ...options, role }));
    } catch (error) {
      await data.close();
      throw error;
    }
  }

  /** Throws in the role `agent`. */
  get services(): Services {
    const { api } = this.#processes;
    if (!api) throw new Error('This process has no api');
    return api.services;
  }

  /** Throws in the role `api`. */
  get agent(): Agent {
    const { agent } = this.#processes;
    if (!agent) throw new Error('This process has no agent');
    return agent;
  }

  /** Starts listening and working; resolves with the address for clients on this machine. */
  async start(): Promise<string> {
    // First, so that nothing runs when its port is taken.
    const address = await this.#front.open();
    await this.#openGateway();
    await this.#processes.agent?.start();
    return address;
  }

  /** A default port may be taken after an upgrade; bots and API then run without apps. */
  async #openGateway(): Promise<void> {
    try {
      this.appsAddress = (await this.#processes.gateway?.open()) ?? null;
    } catch (error) {
      if (!this.#config.gatewayPortIsGiven) return this.#foundation.logger.error({ err: error }, 'apps are not served');
      await this.#front.close();
      throw error;
    }
  }

  /** Ends streams, requests, the reconciler; bots keep running unless the settings stop them. */
  async stop(): Promise<void> {
    const { api, agent, gateway } = this.#processes;
    const gatewayEnd = gateway?.close();
    await api?.endStreams();
    await agent?.endRequests();
    await this.#front.close();
    await gatewayEnd;
    await agent?.stop();
    await this.#foundation.data.close();
  }

  /** Runs a periodic task now. For tests. */
  async runTask(name: string): Promise<void> {
    await this.#processes.agent?.runTask(name);
  }

  /** Resolves when no work is possible at the moment. For tests. */
  async settle(): Promise<void> {
    await this.#processes.agent?.settle();
  }
}

async function createProcesses(
  config: Config,
  foundation: Foundation,
  { role, engine, guard, periodicTasks = true }: ServerOptions,
): Promise<Processes> {
  const agentDeps = { ...foundation, engine, guard, periodicTasks, examine: () => runDoctorInWorker(config) };
  const agent = role === 'api' ? null : await createAgent(config, agentDeps);
  if (role === 'agent') return { api: null, agent, gateway: null };
  const client = agent?.client ?? connectToAgent(config, foundation);
  const api = await createApi(config, { ...foundation, agent: client, agentRoutes });
  const { database, stores } = foundation.data;
  const gateway = role === 'api' ? null : createGateway(config, { ...foundation, ...stores, database });
  return { api, agent, gateway };
}

/** Connects to the agent of another process by its socket. */
function connectToAgent(config: Config, { data, logger }: Foundation): AgentClient {
  const { database, stores } = data;
  return new SocketAgentClient({
    socketPath: config.agentSocket,
    endpoint: apiLinkEndpoint({ stores, logger }),
    version: () => database.dataVersion(),
    report: (isUp) => logger[isUp ? 'info' : 'warn'](isUp ? 'the agent answers' : 'the agent does not answer'),
    usageCache: stores.usageCache,
  });
}
