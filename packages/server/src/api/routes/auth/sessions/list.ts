// GET /auth/sessions
import { sessionList } from '@botel/contract/accounts';
import { defineRoute } from '../../../http/define-route.ts';
import { presentSession } from '../../../http/present-account.ts';

export const listSessions = defineRoute({
  method: 'GET',
  url: '/auth/sessions',
  summary: "The caller's sessions, last used first",
  scope: 'usage.read',
  data: sessionList,
  async handle({ services, caller }) {
    const { sessions, count } = await services.sessions.list(caller);
    const shown = sessions.map((session) => presentSession(session, caller.sessionId));
    return { data: { sessions: shown, count, next_cursor: null } };
  },
});
