// GET /apps/:id/logs
import { accessHistory, accessLogQuery } from '@botel/contract/app-traffic';
import { appParams } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';

export const readAppLogs = defineRoute({
  method: 'GET',
  url: '/apps/:id/logs',
  summary: 'The requests to an app, oldest first: the newest, or those after `after`',
  scope: 'logs.read',
  params: appParams,
  query: accessLogQuery,
  data: accessHistory,
  async handle({ services, caller, params, query, request }) {
    const { q, ...bounds } = query;
    const wanted = { ...bounds, contains: q, signal: request.signal };
    const { records, next } = await services.appTraffic.history(caller, params.id, wanted);
    return { data: { lines: records, has_more: next !== null, next_seq: next } };
  },
});
