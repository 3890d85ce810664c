// POST /admin/users/reset
import { passwordCode, userIdBody } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentCode } from '../../../http/present-admin.ts';

export const resetUser = defineRoute({
  method: 'POST',
  url: '/admin/users/reset',
  summary: 'Make a code by which an account gets a new password: good once, for 24 hours',
  scope: 'admin',
  body: userIdBody,
  data: passwordCode,
  async handle({ services, caller, body }) {
    return { data: presentCode(await services.passwordCodes.make(caller, body.user_id)) };
  },
});
