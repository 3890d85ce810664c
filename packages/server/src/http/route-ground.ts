// What all routes stand on. Type only: app.ts makes it.
import type { Services } from '../services/services.ts';
import type { Connections } from './connections.ts';
import type { Rates } from './rates.ts';

export interface RouteGround {
  services: Services;
  rates: Rates;
  connections: Connections;
}
