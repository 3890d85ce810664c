// POST /admin/users/update
import { updateUserBody, userOfAdmin } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentUserOfAdmin } from '../../../http/present-admin.ts';

export const updateUser = defineRoute({
  method: 'POST',
  url: '/admin/users/update',
  summary: 'Give an account another role or plan',
  scope: 'admin',
  body: updateUserBody,
  data: userOfAdmin,
  async handle({ services, caller, body }) {
    const { user_id: userId, role, plan_id: planId } = body;
    const change = { ...(role !== undefined && { role }), ...(planId !== undefined && { planId }) };
    const view = await services.users.update(caller, userId, change);
    return { data: presentUserOfAdmin(view), message: `User "${view.user.email}" was updated` };
  },
});
