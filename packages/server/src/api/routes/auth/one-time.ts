// POST /auth/one-time
import { login, oneTimeBody } from '@botel/contract/accounts';
import { clientOf } from '../../http/client-of.ts';
import { defineRoute } from '../../http/define-route.ts';
import { signIn } from '../../http/sign-in.ts';

export const redeemOneTime = defineRoute({
  method: 'POST',
  url: '/auth/one-time',
  summary: 'Exchange the token of a link that signs in once',
  scope: null,
  rate: 'sign_in',
  body: oneTimeBody,
  data: login,
  handle(input) {
    const { services, body, request } = input;
    return signIn(input, () => services.accounts.redeemOneTime(body.token, clientOf(request)));
  },
});
