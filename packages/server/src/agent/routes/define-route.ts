// Declares routes that touch bots' files or the machine. The api forwards them.
import { routeDefinitions } from '../../core/http/define-route.ts';
import type { AgentServices } from '../services/agent-services.ts';

export const { defineRoute, defineRawRoute } = routeDefinitions<AgentServices>();
