// The agent's routes as the api serves them: admitted here, validated and answered by the agent.
import type { RouteTable } from '../../core/http/app.ts';
import type { Route } from '../../core/http/define-route.ts';
import type { AgentClient } from '../../core/link/agent-client.ts';

/** The parts of a declared route that the api needs. */
export type ForwardedRoute = Pick<Route<never>, 'declaration' | 'schema'>;

export function forwardedRoutes(routes: Record<string, ForwardedRoute>, agent: AgentClient): RouteTable<unknown> {
  return Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, forwarded(route, agent)]));
}

function forwarded({ declaration, schema }: ForwardedRoute, agent: AgentClient): Route<unknown> {
  const namesBot = declaration.url.startsWith('/bots/:id');
  return {
    declaration,
    schema,
    isForwarded: true,
    handler: () => (request, reply) =>
      agent.forward(namesBot ? (request.params as { id: string }).id : null, request, reply),
  };
}
