// GET /bots/:id/metrics
import { botParams } from '@botel/contract/bots';
import { metrics, metricsQuery } from '@botel/contract/metrics';
import { defineRoute } from '../../http/define-route.ts';
import { presentMetrics } from '../../http/present-metrics.ts';

export const readMetrics = defineRoute({
  method: 'GET',
  url: '/bots/:id/metrics',
  summary: 'What a bot used over time, its starts and ends',
  scope: 'bot.read',
  params: botParams,
  query: metricsQuery,
  data: metrics,
  async handle({ services, caller, params, query }) {
    const { range, step_seconds: stepSeconds } = query;
    return { data: presentMetrics(await services.metrics.metrics(caller, params.id, { range, stepSeconds })) };
  },
});
