// GET /apps/:id/domains
import { appParams } from '@botel/contract/apps';
import { domainList } from '@botel/contract/domains';
import { defineRoute } from '../../http/define-route.ts';
import { presentDomain } from '../../http/present-domain.ts';

export const listDomains = defineRoute({
  method: 'GET',
  url: '/apps/:id/domains',
  summary: 'The domains of an app, newest first',
  scope: 'bot.read',
  params: appParams,
  data: domainList,
  async handle({ services, caller, params }) {
    const views = await services.domains.list(caller, params.id);
    return { data: { domains: views.map(presentDomain), count: views.length, next_cursor: null } };
  },
});
