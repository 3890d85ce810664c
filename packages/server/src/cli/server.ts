// Puts the processes of a Botel together: the whole server in one process, or one role of it;
// starts and stops them in the right order.
import { type Logger, pino } from 'pino';
import { type Agent, createAgent } from '../agent/compose.ts';
import type { Engine } from '../agent/engine/engine.ts';
import type { NetworkGuard } from '../agent/network/firewall.ts';
import { agentRoutes } from '../agent/routes/routes.ts';
import { AgentConnection } from '../api/agent-connection.ts';
import { type Api, createApi } from '../api/compose.ts';
import { apiHintEndpoint } from '../api/hint-endpoint.ts';
import type { Services } from '../api/services/services.ts';
import { SocketAgentClient } from '../api/socket-agent-client.ts';
import type { Config } from '../core/config/config.ts';
import { type DataFolder, openDataFolder } from '../core/data-folder/data-folder.ts';
import type { Role } from '../core/data-folder/data-lock.ts';
import { type Clock, systemClock } from '../core/lib/clock.ts';
import { type Ids, systemIds } from '../core/lib/ids.ts';
import type { AgentClient } from '../core/link/agent-client.ts';
import { createGateway, type GatewayProcess } from '../gateway/compose.ts';
import { runDoctorInWorker } from './doctor/run-doctor-in-worker.ts';

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

/** What the role consists of; what it does not have is null. */
interface Processes {
  api: Api | null;
  agent: Agent | null;
  /** Null also where the settings want no gateway. */
  gateway: GatewayProcess | null;
}

interface Foundation {
  data: DataFolder;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

export class Server {
  /** Where apps are served, with `<name>` for the name of one; null until it was started, and
   * without a gateway. */
  appsAddress: string | null = null;
  readonly #config: Config;
  readonly #foundation: Foundation;
  readonly #processes: Processes;
  /** What listens: the api, or in the role `agent` its socket. */
  readonly #front: { open(): Promise<string>; close(): Promise<void> };

  private constructor(config: Config, foundation: Foundation, processes: Processes) {
    this.#config = config;
    this.#foundation = foundation;
    this.#processes = processes;
    const front = processes.api ?? processes.agent?.listenOnSocket();
    if (!front) throw new Error('A server is an api, an agent or both');
    this.#front = front;
  }

  /** Opens the data folder and builds all parts; nothing runs yet. Rejects with a plain sentence
   * when it can't. */
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

  /** Listens and begins its work; resolves with the address under which it is reached on this
   * machine. */
  async start(): Promise<string> {
    // First: with its port taken nothing may run, or the process would stay and go on without an
    // API.
    const address = await this.#front.open();
    await this.#openGateway();
    await this.#processes.agent?.start();
    return address;
  }

  /** A port that nobody named may be another program's after an upgrade: then bots and API go on
   * without apps. */
  async #openGateway(): Promise<void> {
    try {
      this.appsAddress = (await this.#processes.gateway?.open()) ?? null;
    } catch (error) {
      if (!this.#config.gatewayPortIsGiven) return this.#foundation.logger.error({ err: error }, 'apps are not served');
      await this.#front.close();
      throw error;
    }
  }

  /** Ends streams and requests, then the reconciler; bots go on, or are taken down where the
   * settings say so. */
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

  /** Resolves when nothing can be done at this moment. For tests. */
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

/** The agent of another process, by its socket. */
function connectToAgent(config: Config, { data, logger }: Foundation): AgentClient {
  const { database, stores } = data;
  const connection = new AgentConnection({
    socketPath: config.agentSocket,
    endpoint: apiHintEndpoint({ stores, logger }),
    version: () => database.dataVersion(),
    report: (isUp) => logger[isUp ? 'info' : 'warn'](isUp ? 'the agent answers' : 'the agent does not answer'),
  });
  return new SocketAgentClient({ connection, usageCache: stores.usageCache });
}
