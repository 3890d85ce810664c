// GET /admin/doctor
import { checkup } from '@botel/contract/admin';
import { defineRoute } from '../../../core/http/define-route.ts';
import { presentCheckup } from '../../../api/http/present-admin.ts';

export const readCheckup = defineRoute({
  method: 'GET',
  url: '/admin/doctor',
  summary: 'What `botel doctor` says of the machine, looked at within the last seconds',
  scope: 'admin',
  needsHomes: true,
  data: checkup,
  async handle({ services }) {
    return { data: presentCheckup(await services.checkups.look()) };
  },
});
