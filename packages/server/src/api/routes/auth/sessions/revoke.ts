// POST /auth/sessions/revoke
import { nothing, revokeBody } from '@botel/contract/accounts';
import { defineRoute } from '../../../http/define-route.ts';

export const revokeSessions = defineRoute({
  method: 'POST',
  url: '/auth/sessions/revoke',
  summary: "End one of the caller's sessions, or with `all` every one but its own",
  scope: 'usage.read',
  body: revokeBody,
  data: nothing,
  async handle({ services, caller, body }) {
    if (body.session_id === undefined) await services.sessions.revokeOthers(caller);
    else await services.sessions.revoke(caller, body.session_id);
    return { data: {} };
  },
});
