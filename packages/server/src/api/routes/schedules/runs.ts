// GET /schedules/:id/runs
import { scheduleParams, scheduleRunList } from '@botel/contract/schedules';
import { defineRoute } from '../../http/define-route.ts';
import { presentRun } from '../../http/present-schedule.ts';

export const listScheduleRuns = defineRoute({
  method: 'GET',
  url: '/schedules/:id/runs',
  summary: 'The newest 50 runs of a schedule, newest first',
  scope: 'bot.read',
  params: scheduleParams,
  data: scheduleRunList,
  async handle({ services, caller, params }) {
    const runs = await services.schedules.runs(caller, params.id);
    return { data: { runs: runs.map(presentRun), count: runs.length, next_cursor: null } };
  },
});
