// GET /internal/tls-ask
import { tlsAskQuery } from '@botel/contract/domains';
import { isFromHere } from '../../../core/http/from-here.ts';
import { defineRawRoute } from '../../http/define-route.ts';

export const tlsAsk = defineRawRoute({
  method: 'GET',
  url: '/internal/tls-ask',
  summary: 'For the TLS proxy on this machine: 200 when a certificate may be got for `domain`, else 404; no body',
  scope: null,
  rate: 'machine',
  query: tlsAskQuery,
  produces: ['text/plain'],
  async send({ services, query, request }, reply) {
    const isServed = isFromHere(request.raw) && (await services.certificateHosts.mayHaveCertificate(query.domain));
    return reply.code(isServed ? 200 : 404).send('');
  },
});
