// GET /apps
import { appList, listAppsQuery } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';
import { presentApp } from '../../http/present-app.ts';

export const listApps = defineRoute({
  method: 'GET',
  url: '/apps',
  summary: "List the caller's apps, newest first",
  scope: 'bot.read',
  query: listAppsQuery,
  data: appList,
  async handle({ services, caller, query }) {
    const { views, count, nextCursor } = await services.apps.list(caller, query);
    const { address } = services.apps;
    return { data: { apps: views.map(presentApp), count, next_cursor: nextCursor, address } };
  },
});
