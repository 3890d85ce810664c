// GET /bots/:id/logs
import { botParams } from '@botel/contract/bots';
import { logHistory, logsQuery } from '@botel/contract/logs';
import { defineRoute } from '../../http/define-route.ts';

export const readLogs = defineRoute({
  method: 'GET',
  url: '/bots/:id/logs',
  summary: "A bot's log lines, oldest first: the newest, or those after `after`",
  scope: 'logs.read',
  params: botParams,
  query: logsQuery,
  data: logHistory,
  async handle({ services, caller, params, query, request }) {
    const { q, ...bounds } = query;
    const wanted = { ...bounds, contains: q, signal: request.signal };
    const { records, next } = await services.logs.history(caller, params.id, wanted);
    return { data: { lines: records, has_more: next !== null, next_seq: next } };
  },
});
