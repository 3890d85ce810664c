// GET /bots/:id/events
import { botEventsQuery, eventList } from '@botel/contract/bot-events';
import { botParams } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { presentEvents } from '../../http/present-event.ts';

export const listBotEvents = defineRoute({
  method: 'GET',
  url: '/bots/:id/events',
  summary: 'What happened to a bot in the last 90 days, newest first',
  scope: 'bot.read',
  params: botParams,
  query: botEventsQuery,
  data: eventList,
  async handle({ services, caller, params, query }) {
    return { data: presentEvents(await services.events.ofBot(caller, params.id, query)) };
  },
});
