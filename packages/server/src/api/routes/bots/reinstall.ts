// POST /bots/reinstall
import { botIdBody, lifecycle } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';

export const reinstallBot = defineRoute({
  method: 'POST',
  url: '/bots/reinstall',
  summary: 'Build an offline bot from scratch; returns at once',
  scope: 'bot.control',
  rate: 'lifecycle',
  body: botIdBody,
  data: lifecycle,
  async handle({ services, caller, body }) {
    const bot = await services.bots.reinstall(caller, body.bot_id);
    return { data: { status: 'offline' as const }, message: `Bot "${bot.name}" is being reinstalled` };
  },
});
