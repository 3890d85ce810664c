// POST /auth/login
import { login as loginData, loginBody } from '@botel/contract/accounts';
import { clientOf } from '../../http/client-of.ts';
import { defineRoute } from '../../http/define-route.ts';
import { signIn } from '../../http/sign-in.ts';

export const login = defineRoute({
  method: 'POST',
  url: '/auth/login',
  summary: 'Exchange email and password for a session token',
  scope: null,
  rate: 'sign_in',
  body: loginBody,
  data: loginData,
  handle(input) {
    const { services, body, request } = input;
    return signIn(input, () => services.accounts.login(body.email, body.password, clientOf(request)));
  },
});
