// POST /schedules/run
import { schedule, scheduleIdBody } from '@botel/contract/schedules';
import { defineRoute } from '../../http/define-route.ts';
import { presentSchedule } from '../../http/present-schedule.ts';

export const runSchedule = defineRoute({
  method: 'POST',
  url: '/schedules/run',
  summary: 'Run a schedule now, also one that is not enabled; answers at once',
  scope: 'schedules.write',
  body: scheduleIdBody,
  data: schedule,
  async handle({ services, caller, body }) {
    const asked = await services.schedules.run(caller, body.schedule_id);
    return { data: presentSchedule(asked), message: `Schedule "${asked.name}" is being run` };
  },
});
