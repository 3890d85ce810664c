// GET /apps/:id/metrics
import { appMetrics } from '@botel/contract/app-traffic';
import { appParams } from '@botel/contract/apps';
import { metricsQuery } from '@botel/contract/metrics';
import { defineRoute } from '../../http/define-route.ts';
import { presentAppMetrics } from '../../http/present-metrics.ts';

export const readAppMetrics = defineRoute({
  method: 'GET',
  url: '/apps/:id/metrics',
  summary: 'The requests to an app over time, in numbers',
  scope: 'bot.read',
  params: appParams,
  query: metricsQuery,
  data: appMetrics,
  async handle({ services, caller, params, query }) {
    const { range, step_seconds: stepSeconds } = query;
    return { data: presentAppMetrics(await services.appTraffic.metrics(caller, params.id, { range, stepSeconds })) };
  },
});
