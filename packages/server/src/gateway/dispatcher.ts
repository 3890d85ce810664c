// Routes each request to its bot: waits while it is starting, retries what is safe to retry.
import type { StatusReason } from '@botel/contract/vocabulary';
import { type GatewayFault, gatewayFault } from '../core/domain/gateway-fault.ts';
import type { Route } from '../core/domain/route.ts';
import type { Clock } from '../core/lib/clock.ts';
import { exchange } from './exchange.ts';
import { recheckMs, maxLosses, startGraceMs } from './limits.ts';
import { PendingRequests } from './pending-requests.ts';
import { isOver, type ProxiedRequest } from './proxied-request.ts';
import { RouteTable } from './route-table.ts';
import { tunnel } from './tunnel.ts';
import type { UpstreamPool } from './upstream-pool.ts';
import { UpstreamPools } from './upstream-pools.ts';

interface Deps {
  clock: Clock;
  /** Whether an address can be a bot's: the gateway connects to no other. */
  mayReach(address: string): boolean;
  /** Pending requests per app. */
  maxWaiting: number;
}

export class Dispatcher {
  readonly #clock: Clock;
  readonly #mayReach: (address: string) => boolean;
  readonly #pools: UpstreamPools;
  readonly #waiting: PendingRequests;
  #table = RouteTable.empty;

  constructor({ clock, mayReach, maxWaiting }: Deps) {
    this.#clock = clock;
    this.#mayReach = mayReach;
    this.#pools = new UpstreamPools(clock);
    this.#waiting = new PendingRequests(clock, maxWaiting);
  }

  /** New requests use this table; requests in progress keep their route. */
  apply(table: RouteTable): void {
    this.#table = table;
    this.#pools.keepOnly(table);
    this.#waiting.wakeAll();
  }

  find(hostname: string): Route | undefined {
    return this.#table.find(hostname);
  }

  /** Number of pending requests. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with null when the request is finished, else with the error for its client. */
  async serve(proxied: ProxiedRequest): Promise<GatewayFault | null> {
    for (;;) {
      const route = this.#table.find(proxied.checked.hostname);
      if (!route) return gatewayFault('app_not_found');
      const fault = route.state.kind === 'online' ? await this.#ask(proxied, route) : await this.#wait(proxied, route);
      if (fault !== 'again') return fault;
    }
  }

  close(): void {
    this.#waiting.wakeAll();
    this.#pools.close();
  }

  async #ask(proxied: ProxiedRequest, { appId, state }: Route): Promise<GatewayFault | null | 'again'> {
    if (state.kind !== 'online') return 'again';
    if (!this.#mayReach(state.target.address)) return gatewayFault('bot_starting');
    proxied.run = state.target.run;
    const pool = this.#pools.of(appId, state.target);
    const outcome = await (proxied.upgradeHead ? tunnel(proxied, pool) : exchange(proxied, pool));
    if (outcome.kind === 'done' || isOver(proxied)) return null;
    if (outcome.kind === 'fault') return gatewayFault(outcome.code);
    if (outcome.kind === 'refused') return this.#waitUntilListening(proxied, appId, pool);
    return ++proxied.losses > maxLosses ? gatewayFault('bot_connection_lost') : 'again';
  }

  /** The app's run is starting. */
  async #wait(proxied: ProxiedRequest, { appId, state }: Route): Promise<GatewayFault | null | 'again'> {
    const now = this.#clock.now();
    if (state.kind === 'offline') return offlineFault(state.reason);
    if (state.kind === 'portless') return gatewayFault('bot_not_listening');
    if (state.kind === 'waiting' && state.retryAt > proxied.deadline) {
      const seconds = Math.min(3600, Math.max(1, Math.ceil((state.retryAt - now) / 1000)));
      return gatewayFault('bot_offline', { retryAfter: seconds });
    }
    return this.#until(proxied, appId, { time: proxied.deadline, late: gatewayFault('bot_starting') });
  }

  /**
   * No program accepts connections. A run that has just begun may listen soon; one that listened
   * before may be dead, which the table does not show yet.
   */
  #waitUntilListening(
    proxied: ProxiedRequest,
    appId: string,
    pool: UpstreamPool,
  ): Promise<GatewayFault | null | 'again'> {
    const now = this.#clock.now();
    const graceEnds = pool.where.startedAt + startGraceMs;
    const time = Math.min(proxied.deadline, Math.max(graceEnds, now + recheckMs));
    const waited = this.#until(proxied, appId, { time, late: gatewayFault('bot_not_listening') });
    pool.probe(
      () => this.#waiting.count(appId) > 0,
      () => this.#waiting.wake(appId),
    );
    return waited;
  }

  async #until(
    proxied: ProxiedRequest,
    appId: string,
    { time, late }: { time: number; late: GatewayFault },
  ): Promise<GatewayFault | null | 'again'> {
    switch (await this.#waiting.wait(appId, time, proxied.request.socket)) {
      case 'ready':
        return 'again';
      case 'clientGone':
        return null;
      case 'timeout':
        return late;
      case 'overflow':
        return gatewayFault('bot_starting');
    }
  }
}

/** The reason comes from a closed list: no text of the bot's own. */
function offlineFault(reason: StatusReason | null): GatewayFault {
  if (reason === null) return gatewayFault('bot_offline');
  return gatewayFault('bot_offline', { advice: `Its status reason is ${reason}: look into its log.` });
}
