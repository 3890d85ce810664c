// POST /admin/plans/save
import { planOfAdmin, savePlanBody } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentPlan } from '../../../http/present-admin.ts';

export const savePlan = defineRoute({
  method: 'POST',
  url: '/admin/plans/save',
  summary: 'Make a plan, or with `plan_id` replace what one allows; whoever has it has the new numbers at once',
  scope: 'admin',
  body: savePlanBody,
  data: planOfAdmin,
  async handle({ services, body }) {
    const { plan_id: planId = null, name, bots, apps, internet = true } = body;
    const view = await services.users.savePlan(planId, {
      name,
      bots,
      apps,
      internet,
      memoryMb: body.memory_mb,
      diskMb: body.disk_mb,
      uploadMb: body.upload_limit_mb,
      networkMbit: body.network_mbit ?? null,
    });
    return {
      data: presentPlan(view),
      message: `Plan "${view.plan.name}" was ${planId === null ? 'created' : 'updated'}`,
    };
  },
});
