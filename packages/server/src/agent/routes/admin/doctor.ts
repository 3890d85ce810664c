// GET /admin/doctor
import { checkup } from '@botel/contract/admin';
import { defineRoute } from '../define-route.ts';
import { isoTime } from '../../../core/http/present.ts';

export const readCheckup = defineRoute({
  method: 'GET',
  url: '/admin/doctor',
  summary: 'What `botel doctor` says of the machine, looked at within the last seconds',
  scope: 'admin',
  data: checkup,
  async handle({ services }) {
    const { findings, at } = await services.checkups.check();
    return {
      data: {
        findings: findings.map(({ check, state, text, advice }) => ({ check, state, text, advice: advice ?? null })),
        checked_at: isoTime(at),
      },
    };
  },
});
