// GET /bots/:id/wait
import { botParams, waited, waitQuery } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { presentBot } from '../../../core/http/present.ts';

export const waitForBot = defineRoute({
  method: 'GET',
  url: '/bots/:id/wait',
  summary: 'Wait until a bot has a status, for a while',
  scope: 'bot.read',
  params: botParams,
  query: waitQuery,
  data: waited,
  async handle({ services, caller, params, query, request }) {
    const { view, reached } = await services.bots.wait(caller, params.id, {
      status: query.status,
      timeoutMs: query.timeout * 1000,
      signal: request.signal,
    });
    return { data: { bot: presentBot(view), reached } };
  },
});
