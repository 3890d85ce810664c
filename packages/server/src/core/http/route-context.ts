// What all routes stand on. Type only: app.ts makes it.
import type { Services } from '../../api/services/services.ts';
import type { Connections } from './connections.ts';
import type { Rates } from './rates.ts';
import type { Forward } from '../../api/http/relay.ts';
import type { SessionCookies } from './session-cookies.ts';

export interface RouteContext {
  services: Services;
  rates: Rates;
  connections: Connections;
  cookies: SessionCookies;
  /** Where the files of bots are; null = in this process. */
  forward: Forward | null;
}
