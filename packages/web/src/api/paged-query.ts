// An API list loaded page by page, on demand.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { read } from './calls.ts';

const pageSize = 50;

/** `path` is the list's, without parameters. */
export function pagedQuery<T extends { next_cursor: string | null }>(queryKey: string[], path: string) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ signal, pageParam }) => {
      const cursor = pageParam === '' ? '' : `&cursor=${encodeURIComponent(pageParam)}`;
      return read<T>(`${path}?limit=${pageSize}${cursor}`, signal);
    },
    initialPageParam: '',
    getNextPageParam: (last: T) => last.next_cursor,
  });
}
