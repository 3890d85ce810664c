// The queries of the admin pages. Long lists load page by page.
import type {
  BotOfAdminListData,
  MachineHealthData,
  OverviewData,
  PlanListData,
  SettingListData,
  UserListData,
} from '@botel/contract/admin';
import { queryOptions } from '@tanstack/react-query';
import { read } from '../../api/calls.ts';
import { pagedQuery } from '../../api/paged-query.ts';
import { queryClient } from '../../api/query-client.ts';

const healthEveryMs = 15_000;

export const healthQuery = queryOptions({
  queryKey: ['admin', 'health'],
  queryFn: ({ signal }) => read<MachineHealthData>('/admin/health', signal),
  refetchInterval: healthEveryMs,
});

export const overviewQuery = queryOptions({
  queryKey: ['admin', 'overview'],
  queryFn: ({ signal }) => read<OverviewData>('/admin/overview', signal),
});

export const plansQuery = queryOptions({
  queryKey: ['admin', 'plans'],
  queryFn: ({ signal }) => read<PlanListData>('/admin/plans', signal),
});

export const settingsQuery = queryOptions({
  queryKey: ['admin', 'settings'],
  queryFn: ({ signal }) => read<SettingListData>('/admin/settings', signal),
});

export const usersQuery = pagedQuery<UserListData>(['admin', 'users'], '/admin/users');
export const allBotsQuery = pagedQuery<BotOfAdminListData>(['admin', 'bots'], '/admin/bots');

/** Refetches everything on the admin pages: one change shows in several lists. */
export function readAdminAgain(): void {
  void queryClient.invalidateQueries({ queryKey: ['admin'] });
}
