// The gateway process: on the stores of a whole server, or alone with only the database.
import { type Logger, pino } from 'pino';
import type { Config } from '../core/config/config.ts';
import { untilPrepared } from '../core/data-folder/data-folder.ts';
import { lockData } from '../core/data-folder/data-lock.ts';
import { createAccessLog, type Stores } from '../core/data-folder/stores.ts';
import { Gateway } from './gateway.ts';
import { usualAnswerMs } from './limits.ts';
import { toListenError } from './listen-error.ts';
import { RouteWatch } from './route-watch.ts';
import { AccessLogWriter } from './access-log-writer.ts';
import { type Clock, systemClock } from '../core/lib/clock.ts';
import { TrustedProxies } from '../core/lib/trusted-proxies.ts';
import { BotAddresses } from './bot-addresses.ts';
import { Database } from '../core/store/database.ts';
import { RouteStore } from '../core/store/routes.ts';

/** Requests in progress get this time to finish when the process ends. */
const closeGraceMs = 3000;

interface Deps extends Pick<Stores, 'accessLines' | 'appMinutes'> {
  database: Database;
  clock: Clock;
  logger: Logger;
}

export interface GatewayProcess {
  /** Listens; resolves with the URL of apps, with `<name>` in place of an app's name. */
  open(): Promise<string>;
  /** Resolves when no request is in progress. */
  close(): Promise<void>;
}

/** Null when disabled by the settings. */
export function createGateway(config: Config, deps: Deps): GatewayProcess | null {
  const { database, accessLines: lines, appMinutes: minutes, clock, logger } = deps;
  const { gatewayPort: port, gatewayHost: host } = config;
  if (port === null) return null;
  const bots = new BotAddresses(config.network.bridge, clock);
  const writer = new AccessLogWriter({
    lines,
    minutes,
    database,
    clock,
    report: (error) => logger.error({ err: error }, 'requests to apps could not be stored'),
  });
  const gateway = new Gateway({
    clock,
    accessLog: writer,
    refresh: () => watch.poll(),
    limits: {
      appRequests: config.gatewayAppRequests,
      appRate: config.gatewayAppRate,
      visitorShare: config.gatewayVisitorShare,
      waitMs: config.gatewayWaitSeconds * 1000,
      answerMs: usualAnswerMs,
    },
    connections: { most: config.gatewayConnections, perAddress: config.connectionsPerAddress },
    proxies: new TrustedProxies(config.trustedProxies),
    // Bots of the fake engine have no address: tests run their own servers on loopback.
    mayReach: (address) => (config.engine === 'fake' ? address.startsWith('127.') : bots.has(address)),
    report: (faults) => logger.warn({ faults: faults.slice(0, 10) }, 'routes of apps are not valid'),
    onError: (error) => logger.error({ err: error }, 'a request to an app could not be served'),
  });
  const routes = new RouteStore(database, config.appsDomain);
  const watch = new RouteWatch({
    source: routes,
    apply: (all) => gateway.apply(all),
    clock,
    report: (error) => logger.error({ err: error }, 'routes of apps could not be read'),
  });
  return {
    async open() {
      watch.start();
      try {
        const taken = await gateway.open(port, host);
        return `http://<name>.${config.appsDomain}:${taken}`;
      } catch (error) {
        watch.close();
        routes.close();
        throw toListenError(error as NodeJS.ErrnoException, config);
      }
    },
    async close() {
      watch.close();
      await gateway.close(closeGraceMs);
      routes.close();
      await writer.close();
    },
  };
}

/** `serve --role gateway`: the gateway alone. Waits until the data folder is prepared. */
export async function openGatewayProcess(config: Config, given: { logger?: Logger } = {}): Promise<GatewayProcess> {
  if (config.gatewayPort === null) throw new Error('BOTEL_GATEWAY_PORT is off: there is nothing to serve');
  await untilPrepared(config);
  const lock = lockData(config.dataDirectory, 'gateway');
  try {
    // It writes only access records, and no request should wait for the disk because of them.
    const database = await Database.open(config.dataDirectory, 'NORMAL');
    const logger = given.logger ?? pino({ level: config.logLevel });
    const gateway = createGateway(config, {
      database,
      ...createAccessLog(database, systemClock),
      clock: systemClock,
      logger,
    });
    if (!gateway) throw new Error('There is no gateway');
    return {
      open: () => gateway.open(),
      async close() {
        await gateway.close();
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
