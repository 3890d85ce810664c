// GET /admin/users
import { listQuery, userList } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentUserOfAdmin } from '../../../http/present-admin.ts';

export const listUsers = defineRoute({
  method: 'GET',
  url: '/admin/users',
  summary: 'All accounts, oldest first, with what they have of their plans',
  scope: 'admin',
  query: listQuery,
  data: userList,
  async handle({ services, query }) {
    const { views, count, nextCursor } = await services.users.list(query);
    return { data: { users: views.map(presentUserOfAdmin), count, next_cursor: nextCursor } };
  },
});
