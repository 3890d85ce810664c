// GET /admin/settings
import { settingList } from '@botel/contract/admin';
import { defineRoute } from '../../http/define-route.ts';

export const listSettings = defineRoute({
  method: 'GET',
  url: '/admin/settings',
  summary: 'Settings of the server as they count now, without those that are secret',
  scope: 'admin',
  data: settingList,
  async handle({ services }) {
    const settings = [...services.machine.settings()];
    return { data: { settings, count: settings.length, next_cursor: null } };
  },
});
