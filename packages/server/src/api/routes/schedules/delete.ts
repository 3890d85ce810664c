// POST /schedules/delete
import { schedule, scheduleIdBody } from '@botel/contract/schedules';
import { defineRoute } from '../../http/define-route.ts';
import { presentSchedule } from '../../http/present-schedule.ts';

export const deleteSchedule = defineRoute({
  method: 'POST',
  url: '/schedules/delete',
  summary: 'Delete a schedule; backups that it made stay',
  scope: 'schedules.write',
  body: scheduleIdBody,
  data: schedule,
  async handle({ services, caller, body }) {
    const deleted = await services.schedules.delete(caller, body.schedule_id);
    return { data: presentSchedule(deleted), message: `Schedule "${deleted.name}" was deleted` };
  },
});
