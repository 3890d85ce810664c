// The events of a bot by day, newest first: who did it, when and from where.
import type { BotEventData, EventListData } from '@botel/contract/bot-events';
import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { pagedQuery } from '../api/paged-query.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { Empty, Pending } from '../kit/states.tsx';
import { Ago } from '../kit/time.tsx';
import { shownLanguage, t } from '../texts/text.ts';
import { dayText, timeText } from './day-texts.ts';
import { EventIcon } from './event-icon.tsx';

export function EventList({ botId }: { botId: string }) {
  const list = useInfiniteQuery(pagedQuery<EventListData>(['events', botId], `/bots/${botId}/events`));
  const { data } = list;
  if (!data) return <Pending query={list} rows={6} height="2.5rem" />;
  const events = data.pages.flatMap((page) => page.events);
  if (events.length === 0) return <Empty icon={<History />} title={t('activity.empty')} />;
  const days = Map.groupBy(events, ({ at }) => dayText(Date.parse(at), shownLanguage.get()));
  return (
    <div className="grid gap-5">
      {[...days].map(([day, of]) => (
        <section key={day} aria-label={day}>
          <h3 className="mb-1 text-sm text-muted">{day}</h3>
          <ol>
            {of.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </ol>
        </section>
      ))}
      <MoreButton list={list} label={t('activity.more')} />
    </div>
  );
}

function EventRow({ event: { at, type, message, actor, detail } }: { event: BotEventData }) {
  const who = actor.kind === 'system' ? t('activity.system') : actor.name;
  const fields = Array.isArray(detail.fields) ? detail.fields.join(', ') : '';
  return (
    <li className="flex gap-3 border-b border-line py-2 last:border-0">
      <EventIcon type={type} />
      <div className="flex min-w-0 grow flex-wrap justify-between gap-x-4">
        <div className="min-w-0">
          <p>{fields ? t('activity.with_fields', { message, fields }) : message}</p>
          <p className="text-sm text-muted" data-type={type}>
            {actor.via ? t(`activity.via.${actor.via}`, { who }) : who}
          </p>
        </div>
        <p className="text-sm text-muted tabular-nums">
          {timeText(Date.parse(at), shownLanguage.get())}
          {' · '}
          <Ago at={at} />
        </p>
      </div>
    </li>
  );
}
