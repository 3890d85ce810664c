// GET /auth/me
import { me as meData } from '@botel/contract/accounts';
import { scopesOf } from '../../../domain/access.ts';
import { defineRoute } from '../../define-route.ts';
import { presentUser } from '../../present-account.ts';

export const me = defineRoute({
  method: 'GET',
  url: '/auth/me',
  summary: 'The caller',
  scope: 'usage.read',
  data: meData,
  async handle({ services, caller }) {
    return { data: { user: presentUser(await services.accounts.me(caller)), scopes: scopesOf(caller) } };
  },
});
