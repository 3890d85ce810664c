// GET /ready
import { health } from '@botel/contract/service';
import { defineRoute } from '../http/define-route.ts';

export const ready = defineRoute({
  method: 'GET',
  url: '/ready',
  summary: 'Whether database, engine and disk are usable',
  scope: null,
  data: health,
  async handle({ services }) {
    await services.readiness.check();
    return { data: { status: 'ok' as const } };
  },
});
