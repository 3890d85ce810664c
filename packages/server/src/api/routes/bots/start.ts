// POST /bots/start
import { botIdBody, lifecycle } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';

export const startBot = defineRoute({
  method: 'POST',
  url: '/bots/start',
  summary: 'Start a bot; returns at once',
  scope: 'bot.control',
  rate: 'lifecycle',
  body: botIdBody,
  data: lifecycle,
  async handle({ services, caller, body }) {
    const { bot } = await services.bots.start(caller, body.bot_id);
    return { data: { status: 'starting' as const }, message: `Bot "${bot.name}" is starting` };
  },
});
