// POST /domains/create
import { createDomainBody, domain } from '@botel/contract/domains';
import { defineRoute } from '../../http/define-route.ts';
import { presentDomain } from '../../http/present-domain.ts';

export const createDomain = defineRoute({
  method: 'POST',
  url: '/domains/create',
  summary: 'Claim a hostname for an app; it is served once one of the `records` is in its DNS and it was verified',
  scope: 'apps.write',
  body: createDomainBody,
  data: domain,
  status: 201,
  async handle({ services, caller, body }) {
    const made = await services.domains.create(caller, body.app_id, body.hostname);
    return { data: presentDomain(made), message: `Domain "${made.domain.hostname}" was created` };
  },
});
