// POST /bots/kill
import { botIdBody, lifecycle } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';

export const killBot = defineRoute({
  method: 'POST',
  url: '/bots/kill',
  summary: 'Kill a bot: SIGKILL now',
  scope: 'bot.control',
  rate: 'lifecycle',
  body: botIdBody,
  data: lifecycle,
  async handle({ services, caller, body }) {
    const { bot, wasWaiting } = await services.bots.kill(caller, body.bot_id);
    if (wasWaiting) return { data: { status: 'offline' as const }, message: `Bot "${bot.name}" will not be restarted` };
    return { data: { status: 'stopping' as const }, message: `Bot "${bot.name}" is being killed` };
  },
});
