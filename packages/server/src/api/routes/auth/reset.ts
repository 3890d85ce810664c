// POST /auth/reset
import { nothing, resetPasswordBody } from '@botel/contract/accounts';
import { defineRoute } from '../../http/define-route.ts';

export const resetPassword = defineRoute({
  method: 'POST',
  url: '/auth/reset',
  summary: 'Set a new password with a code that an admin made; all sessions end',
  scope: null,
  rate: 'sign_in',
  body: resetPasswordBody,
  data: nothing,
  async handle({ services, body }) {
    await services.passwordCodes.use(body.code, body.new_password);
    return { data: {} };
  },
});
