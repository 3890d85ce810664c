// What the gateway knows of an app: under which names it is served, where its bot listens now, and what comes of requests
// while it does not. Pure.
import type { StatusReason } from '@botel/contract/vocabulary';
import type { Observed } from './bot.ts';
import { type BotState, isWaiting, statusOf, statusReasonOf } from './status.ts';

/** Where a run of a bot listens: IPv4 address on the bots' network, and port. */
export interface Upstream {
  address: string;
  port: number;
  run: number;
  /** When the run began to be online (ms since the epoch). */
  startedAt: number;
}

/**
 * What comes of a request: `online` goes to the target; `starting` waits for a run that is on its way; `waiting` is the same
 * for one that begins at `retryAt` (ms); `portless` (its PORT is none) and `offline` are answered at once.
 */
export type RouteState =
  | { kind: 'online'; target: Upstream }
  | { kind: 'starting' }
  | { kind: 'waiting'; retryAt: number }
  | { kind: 'portless' }
  | { kind: 'offline'; reason: StatusReason | null };

/** An app that is served. `hostnames` are in lower case, without port and without a dot at the end. */
export interface Route {
  appId: string;
  botId: string;
  /** Of the app. */
  name: string;
  hostnames: string[];
  state: RouteState;
}

/** Whether both are the same port of the same run. */
export function isSameUpstream(one: Upstream, other: Upstream): boolean {
  return one.address === other.address && one.port === other.port && one.run === other.run;
}

/** What a route needs to know of a bot. */
export interface RoutedBot extends BotState {
  observed: BotState['observed'] & Pick<Observed, 'run' | 'address' | 'port' | 'startedAt'>;
}

/** What the state of a bot means for its app. `appPort`: what the app names; null = the port that the run was given. */
export function routeStateOf(bot: RoutedBot, appPort: number | null): RouteState {
  const { run, address, port: givenPort, startedAt, retryAt } = bot.observed;
  const status = statusOf(bot);
  if (status === 'starting') return { kind: 'starting' };
  if (status === 'online') {
    const port = appPort ?? givenPort;
    // Its address is recorded a moment later.
    if (address === null) return { kind: 'starting' };
    return port === null
      ? { kind: 'portless' }
      : { kind: 'online', target: { address, port, run, startedAt: startedAt ?? 0 } };
  }
  if (isWaiting(bot) && retryAt !== null) return { kind: 'waiting', retryAt };
  return { kind: 'offline', reason: statusReasonOf(bot, true) };
}
