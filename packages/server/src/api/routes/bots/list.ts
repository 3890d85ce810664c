// GET /bots
import { botList, listBotsQuery } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { presentBot } from '../../../core/http/present.ts';

export const listBots = defineRoute({
  method: 'GET',
  url: '/bots',
  summary: "List the caller's bots",
  scope: 'bot.read',
  query: listBotsQuery,
  data: botList,
  async handle({ services, caller, query }) {
    const { views, count, nextCursor } = await services.bots.list(caller, {
      limit: query.limit,
      cursor: query.cursor,
      status: query.status,
      nameContains: query.q,
      sort: query.sort ?? 'created',
    });
    return { data: { bots: views.map(presentBot), count, next_cursor: nextCursor } };
  },
});
