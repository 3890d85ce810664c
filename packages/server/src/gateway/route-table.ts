// The whole route table, by hostname. Pure: rebuilt from all routes at each change; invalid rows
// are left out and reported, so that one bad row affects only one app.
import { isIPv4 } from 'node:net';
import type { Route, Upstream } from '../core/domain/route.ts';
import { hostnameOf } from './host-name.ts';

export class RouteTable {
  static readonly empty = new RouteTable([]);

  /** What was left out, and why. */
  readonly faults: string[] = [];
  readonly #byHostname = new Map<string, Route>();
  readonly #byApp = new Map<string, Route>();

  constructor(routes: Iterable<Route>) {
    for (const route of routes) this.#add(route);
  }

  /** Finds the route of a hostname in the form that `hostnameOf` returns. */
  find(hostname: string): Route | undefined {
    return this.#byHostname.get(hostname);
  }

  ofApp(appId: string): Route | undefined {
    return this.#byApp.get(appId);
  }

  get routes(): Iterable<Route> {
    return this.#byApp.values();
  }

  get size(): number {
    return this.#byApp.size;
  }

  #add(given: Route): void {
    const { state } = given;
    const fault = state.kind === 'online' ? faultOf(state.target) : null;
    if (fault) this.faults.push(`${given.name}: ${fault}`);
    // An app without its upstream still exists: its visitors are asked to come back.
    const route: Route = fault ? { ...given, state: { kind: 'starting' } } : given;
    this.#byApp.set(route.appId, route);
    for (const hostname of route.hostnames) {
      if (hostnameOf(hostname) !== hostname) this.faults.push(`${route.name}: a hostname is not valid`);
      else if (this.#byHostname.has(hostname)) this.faults.push(`${route.name}: ${hostname} is taken`);
      else this.#byHostname.set(hostname, route);
    }
  }
}

function faultOf({ address, port }: Upstream): string | null {
  if (!isIPv4(address)) return 'the address of its bot is not valid';
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? null : 'the port of its bot is not valid';
}
