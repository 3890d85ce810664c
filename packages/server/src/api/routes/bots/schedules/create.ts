// POST /bots/:id/schedules
import { botParams } from '@botel/contract/bots';
import { createScheduleBody, schedule } from '@botel/contract/schedules';
import { defineRoute } from '../../../http/define-route.ts';
import { presentSchedule } from '../../../http/present-schedule.ts';

export const createSchedule = defineRoute({
  method: 'POST',
  url: '/bots/:id/schedules',
  summary: 'Do something with a bot at times that a cron expression gives; `keep` bounds the backups that it makes',
  scope: 'schedules.write',
  params: botParams,
  body: createScheduleBody,
  data: schedule,
  status: 201,
  async handle({ services, caller, params, body }) {
    const made = await services.schedules.create(caller, params.id, {
      name: body.name,
      cron: body.cron,
      timezone: body.timezone ?? 'UTC',
      action: body.action,
      enabled: body.enabled ?? true,
      keep: body.keep ?? null,
    });
    return { data: presentSchedule(made), message: `Schedule "${made.name}" was created` };
  },
});
