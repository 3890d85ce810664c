// GET /bots/:id/stats
import { botParams } from '@botel/contract/bots';
import { usageNow } from '@botel/contract/metrics';
import { defineRoute } from '../../http/define-route.ts';
import { presentUsage } from '../../../core/http/present.ts';

export const readStats = defineRoute({
  method: 'GET',
  url: '/bots/:id/stats',
  summary: 'What a bot uses at present',
  scope: 'bot.read',
  params: botParams,
  data: usageNow,
  async handle({ services, caller, params }) {
    return { data: presentUsage(await services.bots.view(caller, params.id)) };
  },
});
