// The bots of everybody, with their owners. An admin sees that they run, not what is in them.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { StatusMark } from '../../bots/status-mark.tsx';
import { Card } from '../../kit/card.tsx';
import { Empty, ErrorCard, Skeleton } from '../../kit/states.tsx';
import { isTextKey, t } from '../../texts/text.ts';
import { allBotsQuery } from './admin-queries.ts';
import { MoreButton } from './more-button.tsx';
import { Row, Rows } from './rows.tsx';

export function AllBots() {
  const list = useInfiniteQuery(allBotsQuery);
  const { data, error, refetch } = list;
  if (!data) return error ? <ErrorCard error={error} retry={() => void refetch()} /> : <Skeleton rows={4} />;
  const bots = data.pages.flatMap((page) => page.bots);
  if (bots.length === 0) return <Empty icon={<Bot />} title={t('admin.no_bots')} />;
  return (
    <Card title={t('admin.count_bots', { count: data.pages[0]?.count ?? 0 })} lead={t('admin.bots_lead')}>
      <Rows>
        {bots.map((bot) => (
          <Row
            key={bot.id}
            title={bot.name}
            facts={[bot.owner.email, languageOf(bot.language), t('admin.mb', { memory: bot.memory })]}
          >
            <StatusMark
              bot={{ ...bot, status_reason: bot.status_reason as never, phase: null, next_restart_at: null }}
            />
          </Row>
        ))}
      </Rows>
      <MoreButton list={list} />
    </Card>
  );
}

function languageOf(language: string): string {
  const key = `language.${language}`;
  return isTextKey(key) ? t(key) : language;
}
