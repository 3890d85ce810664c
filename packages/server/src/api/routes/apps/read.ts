// GET /apps/:id
import { app, appParams } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';
import { presentApp } from '../../http/present-app.ts';

export const readApp = defineRoute({
  method: 'GET',
  url: '/apps/:id',
  summary: 'Read an app',
  scope: 'bot.read',
  params: appParams,
  data: app,
  async handle({ services, caller, params }) {
    return { data: presentApp(await services.apps.view(caller, params.id)) };
  },
});
