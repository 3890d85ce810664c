// GET /bots/:id/runs
import { botParams } from '@botel/contract/bots';
import { runList, runsQuery } from '@botel/contract/runs';
import { defineRoute } from '../../http/define-route.ts';
import { isoOrNull, isoTime, presentExit } from '../../../core/http/present.ts';

export const listRuns = defineRoute({
  method: 'GET',
  url: '/bots/:id/runs',
  summary: 'The runs of a bot in the last 90 days and how they ended, newest first',
  scope: 'bot.read',
  params: botParams,
  query: runsQuery,
  data: runList,
  async handle({ services, caller, params, query }) {
    const { runs, count, nextCursor } = await services.runs.list(caller, params.id, query);
    return {
      data: {
        runs: runs.map(({ run, kind, automatic, beganAt, startedAt, exit }) => ({
          run,
          kind,
          automatic,
          began_at: isoTime(beganAt),
          started_at: isoOrNull(startedAt),
          exit: exit && presentExit(exit),
        })),
        count,
        next_cursor: nextCursor,
      },
    };
  },
});
