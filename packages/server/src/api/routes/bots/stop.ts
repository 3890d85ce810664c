// POST /bots/stop
import { stopBotBody, lifecycle } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';

export const stopBot = defineRoute({
  method: 'POST',
  url: '/bots/stop',
  summary: 'Stop a bot: stop signal, then SIGKILL after the grace',
  scope: 'bot.control',
  rate: 'lifecycle',
  body: stopBotBody,
  data: lifecycle,
  async handle({ services, caller, body }) {
    const { bot, wasWaiting } = await services.bots.stop(caller, body.bot_id, body.grace_seconds ?? null);
    if (wasWaiting) return { data: { status: 'offline' as const }, message: `Bot "${bot.name}" will not be restarted` };
    return { data: { status: 'stopping' as const }, message: `Bot "${bot.name}" is stopping` };
  },
});
