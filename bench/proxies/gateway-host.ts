// The gateway alone in a process of its own, over a table of routes that all lead to one server of
// this machine.
import { median } from '../statistics.ts';
import { answerOrders } from '../child.ts';
import type { Route } from '../../packages/server/src/core/domain/route.ts';
import { Gateway } from '../../packages/server/src/gateway/gateway.ts';
import { systemClock } from '../../packages/server/src/core/lib/clock.ts';
import { TrustedProxies } from '../../packages/server/src/core/lib/trusted-proxies.ts';

export interface GatewayOrder {
  /** Where all routes lead. */
  backendPort: number;
  routes: number;
  /** How often the table is given anew, with one route changed, before the answer. */
  changes: number;
}

export interface OpenGateway {
  port: number;
  /** Median time that the process takes for a change. */
  changeMs: number;
}

/** The host of a route of the table. */
export function hostOf(index: number): string {
  return `app-${index}.apps.localhost`;
}

answerOrders<GatewayOrder, OpenGateway>(async ({ backendPort, routes, changes }) => {
  const gateway = new Gateway({
    clock: systemClock,
    limits: { appRequests: 1e9, appRate: 1e9, visitorShare: 100, waitMs: 10_000, answerMs: 120_000 },
    proxies: new TrustedProxies(['127.0.0.1']),
    connections: { most: 1e9, perAddress: 1e9 },
    mayReach: () => true,
  });
  const table = Array.from({ length: routes }, (_, index) => routeTo(backendPort, index));
  gateway.apply(table);
  const port = await gateway.open(0, '127.0.0.1');
  const times: number[] = [];
  for (let change = 0; change < changes; change++) {
    const next = table.with(change % routes, { ...routeTo(backendPort, change % routes), name: `changed-${change}` });
    const began = performance.now();
    gateway.apply(next);
    times.push(performance.now() - began);
  }
  return { port, changeMs: median(times) };
});

function routeTo(port: number, index: number): Route {
  return {
    appId: `app-${index}`,
    botId: `bot-${index}`,
    name: `app-${index}`,
    hostnames: [hostOf(index)],
    state: { kind: 'online', target: { address: '127.0.0.1', port, run: 1, startedAt: 0 } },
  };
}
