// POST /schedules/update
import { schedule, updateScheduleBody } from '@botel/contract/schedules';
import { defineRoute } from '../../http/define-route.ts';
import { presentSchedule } from '../../http/present-schedule.ts';

export const updateSchedule = defineRoute({
  method: 'POST',
  url: '/schedules/update',
  summary: 'Change a schedule; `keep` 0 = all backups are kept',
  scope: 'schedules.write',
  body: updateScheduleBody,
  data: schedule,
  async handle({ services, caller, body }) {
    const { schedule_id: id, keep, ...change } = body;
    const changed = await services.schedules.update(caller, id, { ...change, keep: keep === 0 ? null : keep });
    return { data: presentSchedule(changed), message: `Schedule "${changed.name}" was updated` };
  },
});
