// POST /apps/create
import { app, createAppBody } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';
import { presentApp } from '../../http/present-app.ts';

export const createApp = defineRoute({
  method: 'POST',
  url: '/apps/create',
  summary: 'Serve a bot under a name; without `port` it is what the bot has in `PORT`',
  scope: 'apps.write',
  body: createAppBody,
  data: app,
  status: 201,
  async handle({ services, caller, body }) {
    const made = await services.apps.create(caller, {
      botId: body.bot_id,
      name: body.name,
      port: body.port ?? null,
      healthPath: body.health_path ?? null,
    });
    return { data: presentApp(made), message: `App "${made.app.name}" was created` };
  },
});
