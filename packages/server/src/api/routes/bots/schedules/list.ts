// GET /bots/:id/schedules
import { botParams } from '@botel/contract/bots';
import { scheduleList } from '@botel/contract/schedules';
import { defineRoute } from '../../../http/define-route.ts';
import { presentSchedule } from '../../../http/present-schedule.ts';

export const listSchedules = defineRoute({
  method: 'GET',
  url: '/bots/:id/schedules',
  summary: "A bot's schedules, newest first",
  scope: 'bot.read',
  params: botParams,
  data: scheduleList,
  async handle({ services, caller, params }) {
    const schedules = await services.schedules.list(caller, params.id);
    return { data: { schedules: schedules.map(presentSchedule), count: schedules.length, next_cursor: null } };
  },
});
