// POST /domains/verify
import { domain, domainIdBody } from '@botel/contract/domains';
import { defineRoute } from '../../http/define-route.ts';
import { presentDomain } from '../../http/present-domain.ts';

export const verifyDomain = defineRoute({
  method: 'POST',
  url: '/domains/verify',
  summary: 'Look at the DNS of a domain now: `verified`, or not, with the reason in `fault`',
  scope: 'apps.write',
  body: domainIdBody,
  data: domain,
  async handle({ services, caller, body }) {
    return { data: presentDomain(await services.domains.verify(caller, body.domain_id)) };
  },
});
