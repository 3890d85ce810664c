// GET /admin/plans
import { planList } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentPlan } from '../../../http/present-admin.ts';

export const listPlans = defineRoute({
  method: 'GET',
  url: '/admin/plans',
  summary: 'All plans, by name',
  scope: 'admin',
  data: planList,
  async handle({ services }) {
    const plans = await services.users.plans();
    return { data: { plans: plans.map(presentPlan), count: plans.length, next_cursor: null } };
  },
});
