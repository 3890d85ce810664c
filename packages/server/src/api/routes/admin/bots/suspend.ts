// POST /admin/bots/suspend
import { botOfAdmin, suspendBotBody } from '@botel/contract/admin';
import { defineRoute } from '../../../http/define-route.ts';
import { presentBotOfAdmin } from '../../../http/present-admin.ts';

export const suspendBot = defineRoute({
  method: 'POST',
  url: '/admin/bots/suspend',
  summary: 'Keep a bot from running, or let it run again; its owner starts it',
  scope: 'admin',
  body: suspendBotBody,
  data: botOfAdmin,
  async handle({ services, caller, body }) {
    const { bot_id: botId, suspended, reason = '' } = body;
    const bot = await services.suspensions.set(caller, botId, suspended ? reason : null);
    const done = suspended ? 'was suspended' : 'may run again';
    return { data: presentBotOfAdmin(await services.machine.viewOf(bot)), message: `Bot "${bot.name}" ${done}` };
  },
});
