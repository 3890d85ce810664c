// POST /admin/plans/delete
import { planIdBody, planOfAdmin } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentPlan } from '../../../http/present-admin.ts';

export const deletePlan = defineRoute({
  method: 'POST',
  url: '/admin/plans/delete',
  summary: 'Delete a plan that nobody has',
  scope: 'admin',
  body: planIdBody,
  data: planOfAdmin,
  async handle({ services, body }) {
    const view = await services.users.deletePlan(body.plan_id);
    return { data: presentPlan(view), message: `Plan "${view.plan.name}" was deleted` };
  },
});
