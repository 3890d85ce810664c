// GET /bots/:id
import { bot, botParams } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { presentBot } from '../../../core/http/present.ts';

export const readBot = defineRoute({
  method: 'GET',
  url: '/bots/:id',
  summary: 'A bot with its status, last exit and settings',
  scope: 'bot.read',
  params: botParams,
  data: bot,
  async handle({ services, caller, params }) {
    return { data: presentBot(await services.bots.view(caller, params.id)) };
  },
});
