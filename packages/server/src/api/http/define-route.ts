// Declares routes of the api.
import { routeDefinitions } from '../../core/http/define-route.ts';
import type { Services } from '../services/services.ts';

export const { defineRoute, defineRawRoute } = routeDefinitions<Services>();
