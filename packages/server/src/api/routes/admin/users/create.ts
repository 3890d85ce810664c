// POST /admin/users/create
import { createUserBody, userOfAdmin } from '@botel/contract/admin';
import { defaultPlanId } from '../../../../core/domain/quota.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { presentUserOfAdmin } from '../../../http/present-admin.ts';

export const createUser = defineRoute({
  method: 'POST',
  url: '/admin/users/create',
  summary: 'Make an account, also where registration is closed',
  scope: 'admin',
  body: createUserBody,
  data: userOfAdmin,
  status: 201,
  async handle({ services, body }) {
    const { email, password, role = 'user', plan_id: planId = defaultPlanId } = body;
    const view = await services.users.create({ email, password, role, planId });
    return { data: presentUserOfAdmin(view), message: `User "${view.user.email}" was created` };
  },
});
