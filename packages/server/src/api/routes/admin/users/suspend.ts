// POST /admin/users/suspend
import { suspendUserBody, userOfAdmin } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentUserOfAdmin } from '../../../http/present-admin.ts';

export const suspendUser = defineRoute({
  method: 'POST',
  url: '/admin/users/suspend',
  summary: 'Suspend an account, or let it in again; its bots go on as they are',
  scope: 'admin',
  body: suspendUserBody,
  data: userOfAdmin,
  async handle({ services, caller, body }) {
    const view = await services.users.suspend(caller, body.user_id, body.suspended);
    const done = body.suspended ? 'was suspended' : 'is not suspended any more';
    return { data: presentUserOfAdmin(view), message: `User "${view.user.email}" ${done}` };
  },
});
