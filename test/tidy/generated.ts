// Files of the repository that are made from the code: .env.example, openapi.json,
// docs/reliability.md. Makes their texts.
import { pino } from 'pino';
import { settings } from '../../packages/server/src/core/config/env.ts';
import { agentRoutes } from '../../packages/server/src/agent/routes/routes.ts';
import { forwardedRoutes } from '../../packages/server/src/api/http/forwarded-routes.ts';
import { describeApi } from '../../packages/server/src/api/http/openapi-document.ts';
import { apiRoutes } from '../../packages/server/src/api/routes/routes.ts';
import { createApp } from '../../packages/server/src/core/http/app.ts';
import { SessionCookies } from '../../packages/server/src/core/http/session-cookies.ts';
import { TrustedProxies } from '../../packages/server/src/core/lib/trusted-proxies.ts';
import type { AgentClient } from '../../packages/server/src/core/link/agent-client.ts';
import type { Authenticator } from '../../packages/server/src/core/services/authenticator.ts';
import type { Services } from '../../packages/server/src/api/services/services.ts';
import { botelVersion } from '../../packages/server/src/core/config/version.ts';
import { reliabilityDocument } from './reliability-document.ts';

/** Path from the checkout on → maker of the text. */
export const generated: Record<string, () => Promise<string>> = {
  '.env.example': async () => envExample(),
  'openapi.json': openApi,
  'docs/reliability.md': async () => reliabilityDocument(),
};

function envExample(): string {
  const head = [
    '# Settings of Botel. Copy this file to .env and change what you need; an empty value counts as not set.',
    '# Each line below is the default. Variables of the environment win over the file.',
  ];
  const each = Object.values(settings).map(({ name, fallback, meaning }) => `# ${meaning}\n#${name}=${fallback}\n`);
  return `${head.join('\n')}\n\n${each.join('\n')}`;
}

/** Describing the routes calls none of them, so there is no service behind. */
async function openApi(): Promise<string> {
  const app = await createApp<Services>({
    routes: { ...apiRoutes, ...forwardedRoutes(agentRoutes, {} as AgentClient) },
    services: {} as Services,
    authenticator: {} as Authenticator,
    cookies: new SessionCookies('', new TrustedProxies([])),
    rates: null,
    connections: null,
    proxies: new TrustedProxies([]),
    logger: pino({ level: 'silent' }),
    checkResponses: false,
    uploadBytes: 1,
    idempotentRequests: null,
    prepare: (scope) => describeApi(scope, botelVersion),
  });
  await app.ready();
  const text = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await app.close();
  return text;
}
