// POST /apps/update
import { app, updateAppBody } from '@botel/contract/apps';
import { defineRoute } from '../../http/define-route.ts';
import { presentApp } from '../../http/present-app.ts';

export const updateApp = defineRoute({
  method: 'POST',
  url: '/apps/update',
  summary: 'Change an app; `port` 0 = what the bot has in `PORT`, `health_path` empty = none',
  scope: 'apps.write',
  body: updateAppBody,
  data: app,
  async handle({ services, caller, body }) {
    const { app_id: id, name, port, bot_id: botId, health_path: healthPath } = body;
    const changed = await services.apps.update(caller, id, {
      ...(name !== undefined && { name }),
      ...(botId !== undefined && { botId }),
      ...(port !== undefined && { port: port || null }),
      ...(healthPath !== undefined && { healthPath: healthPath || null }),
    });
    return { data: presentApp(changed), message: `App "${changed.app.name}" was updated` };
  },
});
