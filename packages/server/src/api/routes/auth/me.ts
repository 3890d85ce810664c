// GET /auth/me
import { me as meData } from '@botel/contract/accounts';
import { scopesOf } from '../../../core/domain/access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { presentUser } from '../../http/present-account.ts';

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
