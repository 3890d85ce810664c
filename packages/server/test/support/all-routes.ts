// Every route of the service, whichever process answers it.
import { agentRoutes } from '../../src/agent/routes/routes.ts';
import { apiRoutes } from '../../src/api/routes/routes.ts';

const table = { ...apiRoutes, ...agentRoutes };

/** With its operationId of the API description. */
export const routes = Object.entries(table).map(([operationId, { declaration }]) => ({ operationId, declaration }));
