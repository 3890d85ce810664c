// POST /setup
import { login, setupBody } from '@botel/contract/accounts';
import { clientOf } from '../http/client-of.ts';
import { defineRoute } from '../http/define-route.ts';
import { signIn } from '../http/sign-in.ts';

export const setup = defineRoute({
  method: 'POST',
  url: '/setup',
  summary: 'Make the first admin with the one-time setup token',
  scope: null,
  rate: 'sign_in',
  body: setupBody,
  data: login,
  status: 201,
  handle(input) {
    const { services, body, request } = input;
    return signIn(input, () => services.accounts.setup(body.token, body.email, body.password, clientOf(request)));
  },
});
