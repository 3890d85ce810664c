// The user's sessions, each with a button to end it; the current one is marked.
import type { SessionData, SessionListData } from '@botel/contract/accounts';
import { useQuery } from '@tanstack/react-query';
import { call, read } from '../../api/calls.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { ErrorCard, Skeleton } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { withToast } from '../../kit/toast.tsx';
import { t } from '../../texts/text.ts';
import { clientName } from './client-name.ts';

export const sessionsKey = ['sessions'];

export function SessionsCard() {
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => read<SessionListData>('/auth/sessions', signal),
  });
  const end = async (body: { session_id: string } | { all: true }, done: string) => {
    await withToast(() => call('POST', '/auth/sessions/revoke', body), done);
    await queryClient.invalidateQueries({ queryKey: sessionsKey });
  };
  return (
    <Card
      title={t('account.sessions')}
      lead={t('account.sessions_lead')}
      actions={
        data &&
        data.count > 1 && (
          <Button onClick={() => void end({ all: true }, t('account.all_ended'))}>{t('account.end_others')}</Button>
        )
      }
    >
      {error && <ErrorCard error={error} readAt={dataUpdatedAt} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      <ul>
        {data?.sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            onEnd={() => end({ session_id: session.id }, t('account.ended'))}
          />
        ))}
      </ul>
    </Card>
  );
}

function SessionRow({ session, onEnd }: { session: SessionData; onEnd: () => Promise<void> }) {
  const { browser, system } = clientName(session.user_agent);
  const name = [browser, system].filter(Boolean).join(', ') || session.user_agent || t('account.unknown_client');
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line py-2.5 first:pt-0 last:border-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium" title={session.user_agent}>
          {name}
          {session.current && (
            <span className="ms-2 inline-block rounded-full bg-accent-soft px-2 py-0.5 text-xs text-accent">
              {t('account.this_one')}
            </span>
          )}
        </p>
        <p className="flex flex-wrap gap-x-4 text-sm text-muted">
          <span>{session.ip || t('account.at_the_machine')}</span>
          <span>
            {t('account.last_used')} <Ago at={session.last_used_at} />
          </span>
        </p>
      </div>
      {!session.current && (
        <Button size="small" aria-label={t('account.end_of', { name })} onClick={() => void onEnd()}>
          {t('account.end')}
        </Button>
      )}
    </li>
  );
}
