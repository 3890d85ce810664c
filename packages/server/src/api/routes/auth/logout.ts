// POST /auth/logout
import { nothing } from '@botel/contract/accounts';
import { defineRoute } from '../../http/define-route.ts';

export const logout = defineRoute({
  method: 'POST',
  url: '/auth/logout',
  summary: 'End the session of the token',
  scope: 'usage.read',
  data: nothing,
  async handle({ services, caller, request, cookies }) {
    await services.accounts.logout(caller);
    return { data: {}, headers: cookies.close(request) };
  },
});
