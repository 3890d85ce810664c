// GET /health
import { health as healthData } from '@botel/contract/service';
import { defineRoute } from '../http/define-route.ts';

export const health = defineRoute({
  method: 'GET',
  url: '/health',
  summary: 'Whether this process answers',
  scope: null,
  data: healthData,
  async handle() {
    return { data: { status: 'ok' as const } };
  },
});
