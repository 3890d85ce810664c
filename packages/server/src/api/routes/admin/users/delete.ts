// POST /admin/users/delete
import { userIdBody, userOfAdmin } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentUserOfAdmin } from '../../../http/present-admin.ts';

export const deleteUser = defineRoute({
  method: 'POST',
  url: '/admin/users/delete',
  summary: 'Delete an account with all of its bots, their files and backups',
  scope: 'admin',
  body: userIdBody,
  data: userOfAdmin,
  async handle({ services, caller, body }) {
    const view = await services.users.remove(caller, body.user_id);
    return { data: presentUserOfAdmin(view), message: `User "${view.user.email}" was deleted` };
  },
});
