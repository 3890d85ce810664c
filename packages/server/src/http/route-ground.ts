// What all routes stand on. Type only: app.ts makes it.
import type { Services } from '../services/services.ts';
import type { Connections } from './connections.ts';
import type { Rates } from './rates.ts';
import type { Forward } from './relay.ts';

export interface RouteGround {
  services: Services;
  rates: Rates;
  connections: Connections;
  /** Where the files of bots are; null = in this process. */
  forward: Forward | null;
}
