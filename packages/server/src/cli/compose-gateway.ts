// The part of the composition root that makes the gateway: over the store of a whole server, or as a process of its own, which has
// the database and nothing else.
import { type Logger, pino } from 'pino';
import { type AccessParts, accessParts } from './compose-access.ts';
import { untilPrepared } from './compose-data.ts';
import type { Front } from './compose-fronts.ts';
import type { Config } from '../core/config/config.ts';
import { lockData } from '../core/data-folder/data-lock.ts';
import { Gateway } from '../gateway/gateway.ts';
import { usualAnswerMs } from '../gateway/limits.ts';
import { RouteWatch } from '../gateway/route-watch.ts';
import { AccessLogWriter } from '../gateway/access-log-writer.ts';
import { type Clock, systemClock } from '../core/lib/clock.ts';
import { TrustedProxies } from '../core/lib/trusted-proxies.ts';
import { BotAddresses } from '../gateway/bot-addresses.ts';
import { Database } from '../core/store/database.ts';
import { RouteStore } from '../core/store/routes.ts';

/** Requests under way may end within this time when the process does. */
const closeGraceMs = 3000;

interface Parts {
  database: Database;
  access: AccessParts;
  clock: Clock;
  logger: Logger;
}

/** Null where the settings want none. */
export function composeGateway(config: Config, { database, access, clock, logger }: Parts): Front | null {
  const { gatewayPort: port, gatewayHost: host } = config;
  if (port === null) return null;
  const bots = new BotAddresses(config.network.bridge, clock);
  const writer = new AccessLogWriter({
    ...access,
    database,
    clock,
    report: (error) => logger.error({ err: error }, 'requests to apps could not be stored'),
  });
  const gateway = new Gateway({
    clock,
    accessLog: writer,
    refresh: () => watch.look(),
    limits: {
      appRequests: config.gatewayAppRequests,
      appRate: config.gatewayAppRate,
      visitorShare: config.gatewayVisitorShare,
      waitMs: config.gatewayWaitSeconds * 1000,
      answerMs: usualAnswerMs,
    },
    connections: { most: config.gatewayConnections, perAddress: config.connectionsPerAddress },
    proxies: new TrustedProxies(config.trustedProxies),
    // Bots of the fake engine are nowhere: tests put servers of their own on loopback.
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
        throw plainError(error as NodeJS.ErrnoException, config);
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
export async function openGatewayProcess(config: Config, given: { logger?: Logger } = {}): Promise<Front> {
  if (config.gatewayPort === null) throw new Error('BOTEL_GATEWAY_PORT is off: there is nothing to serve');
  await untilPrepared(config);
  const lock = lockData(config.dataDirectory, 'gateway');
  try {
    // It writes requests to apps alone, and nobody's request should wait for the disk because of them.
    const database = await Database.open(config.dataDirectory, 'NORMAL');
    const logger = given.logger ?? pino({ level: config.logLevel });
    const front = composeGateway(config, {
      database,
      access: accessParts(database, systemClock),
      clock: systemClock,
      logger,
    });
    if (!front) throw new Error('There is no gateway');
    return {
      open: () => front.open(),
      async close() {
        await front.close();
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function plainError(error: NodeJS.ErrnoException, { gatewayHost, gatewayPort }: Config): Error {
  const where = `port ${gatewayPort} on ${gatewayHost}`;
  const hint = 'set BOTEL_GATEWAY_PORT to another one, or to off';
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`The gateway of apps can't listen: ${where} is taken by another program; ${hint}`);
    case 'EACCES':
      return new Error(`The gateway of apps can't listen: this user may not take ${where}; ${hint}`);
    case 'EADDRNOTAVAIL':
      return new Error(`The gateway of apps can't listen: ${gatewayHost} is not an address of this machine`);
    default:
      return error;
  }
}
