// The part of the composition root that makes the HTTP application of a Config.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Config } from '../core/config/config.ts';
import { type AppOptions, buildApp } from '../core/http/app.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Services } from '../api/services/services.ts';
import { botelVersion } from '../core/config/version.ts';

interface AppParts {
  services: Services;
  logger: FastifyBaseLogger;
  clock: Clock;
}

/** Not yet listening. `half`: what half of a server has otherwise than a whole one. */
export function composeApp(
  config: Config,
  { services, logger, clock }: AppParts,
  half: Pick<AppOptions, 'forward' | 'routes'> & Partial<Pick<AppOptions, 'rates' | 'connections'>> = {},
): Promise<FastifyInstance> {
  return buildApp(services, {
    logger,
    clock,
    checkResponses: config.checkResponses,
    uploadBytes: config.uploadBytes,
    version: botelVersion,
    publicUrl: config.publicUrl,
    dashboard: half.routes === 'homes' ? null : checkoutPath('packages/web/dist'),
    rates: {
      user: config.rateUser,
      lifecycle: config.rateLifecycle,
      signIn: config.rateSignIn,
      public: config.ratePublic,
    },
    trustedProxies: config.trustedProxies,
    connections: { most: config.maxConnections, perAddress: config.connectionsPerAddress },
    ...half,
  });
}
