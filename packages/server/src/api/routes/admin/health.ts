// GET /admin/health
import { machineHealth } from '@botel/contract/admin';
import { defineRoute } from '../../http/define-route.ts';
import { presentHealth } from '../../http/present-admin.ts';

export const readHealth = defineRoute({
  method: 'GET',
  url: '/admin/health',
  summary: 'The machine: what works, memory, disk, processors, bots',
  scope: 'admin',
  data: machineHealth,
  async handle({ services }) {
    return { data: presentHealth(await services.machine.health()) };
  },
});
