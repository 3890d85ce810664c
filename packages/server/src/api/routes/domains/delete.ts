// POST /domains/delete
import { domain, domainIdBody } from '@botel/contract/domains';
import { defineRoute } from '../../http/define-route.ts';
import { presentDomain } from '../../http/present-domain.ts';

export const deleteDomain = defineRoute({
  method: 'POST',
  url: '/domains/delete',
  summary: 'Delete a domain; it is not served any more',
  scope: 'apps.write',
  body: domainIdBody,
  data: domain,
  async handle({ services, caller, body }) {
    const deleted = await services.domains.delete(caller, body.domain_id);
    return { data: presentDomain(deleted), message: `Domain "${deleted.domain.hostname}" was deleted` };
  },
});
