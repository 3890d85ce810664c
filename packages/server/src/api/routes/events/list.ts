// GET /events
import { eventList, eventsQuery } from '@botel/contract/bot-events';
import { defineRoute } from '../../http/define-route.ts';
import { presentEvents } from '../../http/present-event.ts';

export const listEvents = defineRoute({
  method: 'GET',
  url: '/events',
  summary: 'What happened to all bots of the caller in the last 90 days, newest first',
  scope: 'bot.read',
  query: eventsQuery,
  data: eventList,
  async handle({ services, caller, query }) {
    const { bot_id: botId, ...page } = query;
    return { data: presentEvents(await services.events.list(caller, { ...page, botId })) };
  },
});
