// GET /apps/check/{name}
import { availability, checkParams } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';

export const checkApp = defineRoute({
  method: 'GET',
  url: '/apps/check/:name',
  summary: 'Whether a subdomain name is available',
  scope: null,
  params: checkParams,
  data: availability,
  async handle({ services, params }) {
    return { data: await services.apps.check(params.name) };
  },
});
