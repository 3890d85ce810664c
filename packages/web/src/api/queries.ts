// What pages read, as queries of TanStack Query: one key and one reader per thing. Live events change their data in place.
import type { UsageData, UserData } from '@botel/contract/accounts';
import type { BotData, RuntimesData } from '@botel/contract/bots';
import type { TemplateData } from '@botel/contract/templates';
import { queryOptions } from '@tanstack/react-query';
import { read } from './calls.ts';

export interface Me {
  user: UserData;
  scopes: string[];
}

export interface BotList {
  bots: BotData[];
  count: number;
}

const forever = Number.POSITIVE_INFINITY;

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => read<Me>('/auth/me', signal),
  staleTime: 60_000,
});

export const botsQuery = queryOptions({ queryKey: ['bots'], queryFn: ({ signal }) => readAllBots(signal) });

export function botQuery(id: string) {
  return queryOptions({ queryKey: ['bot', id], queryFn: ({ signal }) => read<BotData>(`/bots/${id}`, signal) });
}

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => read<UsageData>('/usage', signal),
});

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) => (await read<{ templates: TemplateData[] }>('/templates', signal)).templates,
  staleTime: forever,
});

export const runtimesQuery = queryOptions({
  queryKey: ['runtimes'],
  queryFn: ({ signal }) => read<RuntimesData>('/runtimes', signal),
  staleTime: forever,
});

/** All pages of the list: a plan holds as many bots as its operator says. */
async function readAllBots(signal: AbortSignal): Promise<BotList> {
  const bots: BotData[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: BotList & { next_cursor: string | null } = await read(`/bots?limit=100${next}`, signal);
    bots.push(...page.bots);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { bots, count: bots.length };
}
