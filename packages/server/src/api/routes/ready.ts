// GET /ready
import { readiness } from '@botel/contract/service';
import { defineRoute } from '../http/define-route.ts';

export const ready = defineRoute({
  method: 'GET',
  url: '/ready',
  summary: 'Whether database, engine and disk are usable',
  scope: null,
  data: readiness,
  async handle({ services }) {
    await services.readiness.check();
    return { data: { status: 'ok' as const, oldest_wait_seconds: services.readiness.oldestWaitSeconds } };
  },
});
