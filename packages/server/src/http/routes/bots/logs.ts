// GET /bots/:id/logs
import { botParams } from '@botel/contract/bots';
import { logHistory, logsQuery } from '@botel/contract/logs';
import { defineRoute } from '../../define-route.ts';

export const readLogs = defineRoute({
  method: 'GET',
  url: '/bots/:id/logs',
  summary: "A bot's log lines, oldest first: the newest, or those after `after`",
  scope: 'logs.read',
  params: botParams,
  query: logsQuery,
  data: logHistory,
  async handle({ services, caller, params, query }) {
    const { q, ...bounds } = query;
    const { records, hasMore } = await services.logs.history(caller, params.id, { ...bounds, contains: q });
    return { data: { lines: records, has_more: hasMore } };
  },
});
