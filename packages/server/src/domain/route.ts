// What the gateway knows of an app: under which names it is served, and where its bot listens now. Types only, but for the
// one question whether two routes lead to the same place.
import type { StatusReason } from './status.ts';

/** Where a run of a bot listens: IPv4 address on the bots' network, and port. */
export interface RouteTarget {
  address: string;
  port: number;
  run: number;
  /** When the run began to be online (ms since the epoch). */
  startedAt: number;
}

/**
 * What comes of a request: `online` goes to the target; `starting` waits for a run that is on its way; `waiting` is the same
 * for one that begins at `retryAt` (ms); `offline` is answered at once.
 */
export type RouteState =
  | { kind: 'online'; target: RouteTarget }
  | { kind: 'starting' }
  | { kind: 'waiting'; retryAt: number }
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
export function isSameTarget(one: RouteTarget, other: RouteTarget): boolean {
  return one.address === other.address && one.port === other.port && one.run === other.run;
}
