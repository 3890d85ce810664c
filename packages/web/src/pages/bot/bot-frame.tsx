// The frame of one bot: name, status, actions and tabs.
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { ChevronLeft, ExternalLink } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { botQuery } from '../../api/queries.ts';
import { BotActions } from '../../bots/bot-actions.tsx';
import { StatusMark } from '../../bots/status-mark.tsx';
import { usePageTitle } from '../../kit/page-title.ts';
import { Pending } from '../../kit/states.tsx';
import { Since } from '../../kit/time.tsx';
import { isApiError } from '../../lib/api-error.ts';
import { formatNumber } from '../../lib/format.ts';
import { NotFound } from '../../shell/root-frame.tsx';
import { loadLazyTexts, shownLanguage, t } from '../../texts/text.ts';

const BotMenu = lazy(async () => {
  const [{ BotMenu: component }] = await Promise.all([import('../../bots/bot-menu.tsx'), loadLazyTexts()]);
  return { default: component };
});

const tabs = [
  { to: '/bots/$botId', label: 'bot.tab.console' },
  { to: '/bots/$botId/files', label: 'bot.tab.files' },
  { to: '/bots/$botId/env', label: 'bot.tab.env' },
  { to: '/bots/$botId/metrics', label: 'bot.tab.metrics' },
  { to: '/bots/$botId/backups', label: 'bot.tab.backups' },
  { to: '/bots/$botId/activity', label: 'bot.tab.activity' },
  { to: '/bots/$botId/settings', label: 'bot.tab.settings' },
] as const;

export function BotFrame() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { data: bot, error, refetch } = useQuery(botQuery(botId));
  usePageTitle(bot?.name ?? t('bots.title'));
  if (isApiError(error) && error.status === 404) return <NotFound />;
  if (!bot)
    return (
      <>
        <h1 className="sr-only">{t('bots.title')}</h1>
        <Pending query={{ error, refetch }} rows={3} />
      </>
    );
  return (
    <>
      <Link to="/" className="mb-2 inline-flex min-h-6 items-center gap-1 text-sm text-muted hover:text-ink">
        <ChevronLeft className="size-4" aria-hidden />
        {t('bots.title')}
      </Link>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-2xl">{bot.name}</h1>
            <StatusMark bot={bot} />
          </div>
          <p className="mt-1 flex flex-wrap gap-x-4 text-sm text-muted">
            <span>{t(`language.${bot.language}`)}</span>
            <span>{t('bot.size', { memory: bot.memory, vcpu: formatNumber(bot.vcpu, shownLanguage.get(), 3) })}</span>
            {bot.status === 'online' && bot.started_at && (
              <span>
                {t('bots.col_uptime')} <Since at={bot.started_at} />
              </span>
            )}
            {bot.app && (
              <a
                href={bot.app.url}
                target="_blank"
                rel="noreferrer"
                className="inline-flex items-center gap-1 text-accent"
              >
                {bot.app.url} <ExternalLink className="size-3" aria-hidden />
              </a>
            )}
          </p>
        </div>
        <div className="flex gap-1.5">
          <BotActions bot={bot} />
          <Suspense fallback={<div className="w-9 touch:w-11" />}>
            <BotMenu bot={bot} />
          </Suspense>
        </div>
      </header>
      <nav aria-label={t('bot.tabs')} className="mt-5 mb-5 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ botId }}
            activeOptions={{ exact: true, includeSearch: false }}
            className="-mb-px inline-flex h-10 items-center border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted hover:text-ink focus-visible:outline-offset-[-2px] touch:min-h-11"
            activeProps={{ className: 'border-accent! text-ink! font-medium' }}
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
