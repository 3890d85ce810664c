// The entries of a folder as shown: all pages loaded so far, without those being deleted.
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { queryClient } from '../api/query-client.ts';
import { joinPath } from './file-kinds.ts';
import { type FileEntry, listFolder } from './files-api.ts';
import { hiddenKey, hiddenPaths } from './undo-delete.ts';

function folderQuery(botId: string, path: string) {
  return infiniteQueryOptions({
    queryKey: ['files', botId, path],
    queryFn: ({ pageParam, signal }) => listFolder(botId, path, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // The bot writes files too, without an event.
    staleTime: 0,
  });
}

export interface Folder {
  /** null = not read yet. Folders first, then by name. */
  entries: FileEntry[] | null;
  count: number;
  error: unknown;
  retry: () => void;
  /** Reads the next page; null = there is none. */
  more: (() => void) | null;
}

export function useFolder(botId: string, path: string): Folder {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(folderQuery(botId, path));
  const hidden = useSyncExternalStore(hiddenPaths.subscribe, hiddenPaths.get);
  const all = useMemo(() => data?.pages.flatMap((page) => page.entries), [data]);
  // The same array until it changes, so that rows don't re-render.
  const entries = useMemo(
    () => all?.filter(({ name }) => !hidden.has(hiddenKey(botId, joinPath(path, name)))).sort(foldersFirst) ?? null,
    [all, hidden, botId, path],
  );
  return {
    entries,
    count: (data?.pages[0]?.count ?? 0) - ((all?.length ?? 0) - (entries?.length ?? 0)),
    error,
    retry: () => void refetch(),
    more: hasNextPage ? () => void fetchNextPage() : null,
  };
}

/** Reloads all folders shown. */
export function readFoldersAgain(botId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['files', botId] });
}

const byName = new Intl.Collator();

function foldersFirst(one: FileEntry, other: FileEntry): number {
  const rank = (entry: FileEntry) => (entry.type === 'directory' ? 0 : 1);
  return rank(one) - rank(other) || byName.compare(one.name, other.name);
}
