// POST /apps/delete
import { app, appIdBody } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';
import { presentApp } from '../../http/present-app.ts';

export const deleteApp = defineRoute({
  method: 'POST',
  url: '/apps/delete',
  summary: 'Delete an app with its domains; the bot stays, the name is kept for the caller for 30 days',
  scope: 'apps.write',
  body: appIdBody,
  data: app,
  async handle({ services, caller, body }) {
    const deleted = await services.apps.delete(caller, body.app_id);
    return { data: presentApp(deleted), message: `App "${deleted.app.name}" was deleted` };
  },
});
