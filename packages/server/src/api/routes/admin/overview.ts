// GET /admin/overview
import { overview } from '@botel/contract/admin';
import { defineRoute } from '../../http/define-route.ts';
import { presentOverview } from '../../http/present-admin.ts';

export const readOverview = defineRoute({
  method: 'GET',
  url: '/admin/overview',
  summary: 'Memory promised and used, the bots that use most, what failed in 24 hours',
  scope: 'admin',
  data: overview,
  async handle({ services }) {
    return { data: presentOverview(await services.overview.read()) };
  },
});
