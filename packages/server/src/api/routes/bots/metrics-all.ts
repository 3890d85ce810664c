// GET /bots/metrics
import { allMetrics } from '@botel/contract/metrics';
import { defineRoute } from '../../http/define-route.ts';
import { presentAllMetrics } from '../../http/present-metrics.ts';

export const readAllMetrics = defineRoute({
  method: 'GET',
  url: '/bots/metrics',
  summary: "The last 15 minutes of each of the caller's bots, and how much of the last 24 hours it was online",
  scope: 'bot.read',
  data: allMetrics,
  async handle({ services, caller }) {
    return { data: presentAllMetrics(await services.metrics.all(caller)) };
  },
});
