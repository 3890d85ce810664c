// PUT /bots/:id/env
import { botParams, environment, replaceEnvironmentBody } from '@botel/contract/bots';
import { defineRoute } from '../../../http/define-route.ts';
import { presentEnvironment } from '../../../../core/http/present.ts';

export const replaceEnvironment = defineRoute({
  method: 'PUT',
  url: '/bots/:id/env',
  summary: "Replace all of a bot's variables",
  scope: 'env.write',
  params: botParams,
  body: replaceEnvironmentBody,
  data: environment,
  async handle({ services, caller, params, body }) {
    const changed = await services.bots.changeEnvironment(caller, params.id, () => body.environment);
    return { data: presentEnvironment(changed) };
  },
});
