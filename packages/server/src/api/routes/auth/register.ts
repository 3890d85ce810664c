// POST /auth/register
import { login, registerBody } from '@botel/contract/accounts';
import { clientOf } from '../../http/client-of.ts';
import { defineRoute } from '../../http/define-route.ts';
import { signIn } from '../../http/sign-in.ts';

export const register = defineRoute({
  method: 'POST',
  url: '/auth/register',
  summary: 'Make an account, where registration is open',
  scope: null,
  rate: 'sign_in',
  body: registerBody,
  data: login,
  status: 201,
  handle(input) {
    const { services, body, request } = input;
    return signIn(input, () => services.accounts.register(body.email, body.password, clientOf(request)));
  },
});
