// GET /admin/bots
import { botOfAdminList, listQuery } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentBotOfAdmin } from '../../../http/present-admin.ts';

export const listAllBots = defineRoute({
  method: 'GET',
  url: '/admin/bots',
  summary: 'The bots of everybody, newest first: what runs, not what is in it',
  scope: 'admin',
  query: listQuery,
  data: botOfAdminList,
  async handle({ services, query }) {
    const { bots, count, nextCursor } = await services.machine.listBots(query);
    return { data: { bots: bots.map(presentBotOfAdmin), count, next_cursor: nextCursor } };
  },
});
