// The TanStack Query queries of all pages: one key and one reader per resource. Live events update
// their data in place.
import type { UsageData, UserData } from '@botel/contract/accounts';
import type { BotData, RuntimesData } from '@botel/contract/bots';
import type { AllMetricsData, MetricsData } from '@botel/contract/metrics';
import type { TemplateData } from '@botel/contract/templates';
import { queryOptions } from '@tanstack/react-query';
import type { MetricPoint } from '../lib/metric-points.ts';
import { read } from './calls.ts';

export interface Me {
  user: UserData;
  scopes: string[];
}

export interface BotList {
  bots: BotData[];
  count: number;
}

/** Metrics of a bot for lists. `uptimePercent`: of the last 24 hours, null until loaded. */
export interface BotRecentMetrics {
  uptimePercent: number | null;
  points: MetricPoint[];
}

const forever = Number.POSITIVE_INFINITY;

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => read<Me>('/auth/me', signal),
  staleTime: 60_000,
});

export const botsQuery = queryOptions({ queryKey: ['bots'], queryFn: ({ signal }) => readAllBots(signal) });

/** By bot. Loaded once, then updated by live events. */
export const recentMetricsQuery = queryOptions({
  queryKey: ['curves'],
  queryFn: async ({ signal }) => recentMetricsOf(await read<AllMetricsData>('/bots/metrics', signal)),
  staleTime: forever,
});

export function botQuery(id: string) {
  return queryOptions({ queryKey: ['bot', id], queryFn: ({ signal }) => read<BotData>(`/bots/${id}`, signal) });
}

/** Metrics of a bot over a range; refetched once a minute while it runs, and on its events. */
export function metricsQuery(id: string, range: string) {
  return queryOptions({
    queryKey: ['metrics', id, range],
    queryFn: ({ signal }) => read<MetricsData>(`/bots/${id}/metrics?range=${range}`, signal),
  });
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

/** All pages of the list: plans may allow more bots than one page holds. */
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

function recentMetricsOf({ from, step_seconds: step, bots }: AllMetricsData): Record<string, BotRecentMetrics> {
  const at = (index: number) => new Date(Date.parse(from) + index * step * 1000).toISOString();
  return Object.fromEntries(
    bots.map(({ bot_id: botId, uptime_percent: uptimePercent, cpu_percent: cpu, memory_mb: memory }) => [
      botId,
      {
        uptimePercent,
        points: cpu.map((value, index) => ({ at: at(index), cpu_percent: value, memory_mb: memory[index] ?? null })),
      },
    ]),
  );
}
