// POST /bots/delete
import { deleteBotBody, deletedBot } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { isoTime } from '../../../core/http/present.ts';

export const deleteBot = defineRoute({
  method: 'POST',
  url: '/bots/delete',
  summary: 'Delete a bot with its files and logs',
  scope: 'bot.delete',
  body: deleteBotBody,
  data: deletedBot,
  async handle({ services, caller, body }) {
    const { bot, deletedAt } = await services.bots.delete(caller, body.bot_id, body.force ?? false);
    return { data: { id: bot.id, deleted_at: isoTime(deletedAt) }, message: `Bot "${bot.name}" was deleted` };
  },
});
