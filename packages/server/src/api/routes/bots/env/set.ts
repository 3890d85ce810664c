// POST /bots/env/set
import { environment, setEnvironmentBody } from '@botel/contract/bots';
import { defineRoute } from '../../../http/define-route.ts';
import { presentEnvironment } from '../../../../core/http/present.ts';

export const setEnvironment = defineRoute({
  method: 'POST',
  url: '/bots/env/set',
  summary: "Set and unset some of a bot's variables",
  scope: 'env.write',
  body: setEnvironmentBody,
  data: environment,
  async handle({ services, caller, body }) {
    const changed = await services.bots.changeEnvironment(caller, body.bot_id, (present) => {
      const kept = Object.entries(present).filter(([key]) => !body.unset?.includes(key));
      return Object.fromEntries([...kept, ...Object.entries(body.set ?? {})]);
    });
    return { data: presentEnvironment(changed) };
  },
});
