// POST /auth/password
import { changePasswordBody, nothing } from '@botel/contract/accounts';
import { clientOf } from '../../http/client-of.ts';
import { defineRoute } from '../../http/define-route.ts';

export const changePassword = defineRoute({
  method: 'POST',
  url: '/auth/password',
  summary: "Change the caller's password; its other sessions end",
  scope: 'usage.read',
  body: changePasswordBody,
  data: nothing,
  async handle({ services, caller, body, request }) {
    const change = { current: body.current_password, next: body.new_password };
    await services.sessions.changePassword(caller, change, clientOf(request));
    return { data: {} };
  },
});
