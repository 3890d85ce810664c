// Routes of the gateway: an app's names, where its bot listens, or why it does not. Pure.
import type { StatusReason } from '@botel/contract/vocabulary';
import type { Observed } from './bot.ts';
import { type BotState, isWaiting, statusOf, statusReasonOf } from './status.ts';

/** Where a run listens: IPv4 address on the bots' network, and port. */
export interface Upstream {
  address: string;
  port: number;
  run: number;
  /** When the run came online (ms since the epoch). */
  startedAt: number;
}

/**
 * `online` goes to the upstream; `starting` waits for the run in progress; `waiting` for one that
 * begins at `retryAt` (ms); `portless` (PORT is no valid port) and `offline` are answered at once.
 */
export type RouteState =
  | { kind: 'online'; target: Upstream }
  | { kind: 'starting' }
  | { kind: 'waiting'; retryAt: number }
  | { kind: 'portless' }
  | { kind: 'offline'; reason: StatusReason | null };

/** A served app. `hostnames` are in lower case, without port and trailing dot. */
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

/** The parts of a bot that routes depend on. */
export interface RoutedBot extends BotState {
  observed: BotState['observed'] & Pick<Observed, 'run' | 'address' | 'port' | 'startedAt'>;
}

/** `appPort`: the app's port; null = the port that the run was given. */
export function routeStateOf(bot: RoutedBot, appPort: number | null): RouteState {
  const { run, address, port: givenPort, startedAt, retryAt } = bot.observed;
  const status = statusOf(bot);
  if (status === 'starting') return { kind: 'starting' };
  if (status === 'online') {
    const port = appPort ?? givenPort;
    // The address is recorded a moment later.
    if (address === null) return { kind: 'starting' };
    return port === null
      ? { kind: 'portless' }
      : { kind: 'online', target: { address, port, run, startedAt: startedAt ?? 0 } };
  }
  if (isWaiting(bot) && retryAt !== null) return { kind: 'waiting', retryAt };
  return { kind: 'offline', reason: statusReasonOf(bot, true) };
}
