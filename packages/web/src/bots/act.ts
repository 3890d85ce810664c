// Sends lifecycle calls and shows the status the server answers with, not an optimistic one.
import type { BotData } from '@botel/contract/bots';
import type { BotStatus } from '@botel/contract/vocabulary';
import { call } from '../api/calls.ts';
import { patchList } from '../api/live-changes.ts';
import { botQuery, botsQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { withToast } from '../kit/toast.tsx';
import type { Verb } from './lifecycle.ts';

/** Shows the result as a toast; resolves with whether it worked. */
export function act(verb: Verb, botId: string): Promise<boolean> {
  return withToast(async () => {
    const answer = await call<{ status: BotStatus }>('POST', `/bots/${verb}`, { bot_id: botId });
    showBot(botId, { status: answer.data.status });
    return answer;
  });
}

/** Puts a bot's new state into the query cache. */
export function showBot(botId: string, fields: Partial<BotData>): void {
  queryClient.setQueryData(botQuery(botId).queryKey, (old) => old && { ...old, ...fields });
  queryClient.setQueryData(botsQuery.queryKey, (old) => old && patchList(old, botId, fields));
}

/** Many bots, one after the other; resolves with the number of successes and the first failure. */
export async function actOnAll(verb: Verb, botIds: string[]): Promise<{ done: number; failure: unknown }> {
  let done = 0;
  let failure: unknown = null;
  for (const botId of botIds)
    try {
      const { data } = await call<{ status: BotStatus }>('POST', `/bots/${verb}`, { bot_id: botId });
      showBot(botId, { status: data.status });
      done++;
    } catch (error) {
      failure ??= error;
    }
  return { done, failure };
}
