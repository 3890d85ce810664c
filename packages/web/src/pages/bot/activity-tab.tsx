// The tab "activity" of a bot: who did what and when, the newest first.
import type { EventListData } from '@botel/contract/bot-events';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { read } from '../../api/calls.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Empty, ErrorCard, Skeleton } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { t } from '../../texts/text.ts';

export function ActivityTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['events', botId],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : '';
      return read<EventListData>(`/bots/${botId}/events?limit=50${cursor}`, signal);
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
  });
  if (!data)
    return error ? <ErrorCard error={error} retry={() => void refetch()} /> : <Skeleton rows={6} height="2.5rem" />;
  const events = data.pages.flatMap((page) => page.events);
  if (events.length === 0) return <Empty icon={<History />} title={t('activity.empty')} />;
  return (
    <Card className="grid gap-4">
      <ol className="grid">
        {events.map(({ id, at, message, actor, type }) => (
          <li key={id} className="flex flex-wrap gap-x-4 gap-y-0.5 border-b border-line py-2.5 last:border-0">
            <span className="min-w-0 grow">{message}</span>
            <span className="text-sm text-muted" data-type={type}>
              {actor.kind === 'system' ? t('activity.system') : actor.name}
            </span>
            <span className="w-28 text-end text-sm text-muted">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <div>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('activity.more')}
          </Button>
        </div>
      )}
    </Card>
  );
}
