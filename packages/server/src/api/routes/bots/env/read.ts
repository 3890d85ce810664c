// GET /bots/:id/env
import { botParams, environment } from '@botel/contract/bots';
import { defineRoute } from '../../../http/define-route.ts';
import { presentEnvironment } from '../../../../core/http/present.ts';

export const readEnvironment = defineRoute({
  method: 'GET',
  url: '/bots/:id/env',
  summary: "A bot's variables with their values",
  scope: 'env.read',
  params: botParams,
  data: environment,
  async handle({ services, caller, params }) {
    return { data: presentEnvironment(await services.bots.environment(caller, params.id)) };
  },
});
