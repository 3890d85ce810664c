// One app of the list: address, bot, traffic and domains; editing and deleting it.
import type { AppData } from '@botel/contract/apps';
import { Link } from '@tanstack/react-router';
import { ExternalLink, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { Ago } from '../kit/time.tsx';
import { formatMs, formatNumber, formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { Domains } from './domains.tsx';
import { EditAppDialog } from './edit-app-dialog.tsx';

interface AppRowProps {
  app: AppData;
  botName: string;
  onChanged: () => void;
  onDelete: () => void;
}

export function AppRow({ app, botName, onChanged, onDelete }: AppRowProps) {
  const [isEdited, setEdited] = useState(false);
  const [areDomainsOpen, setDomainsOpen] = useState(false);
  return (
    <li className="border-b border-line py-3 first:pt-0 last:border-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-40 flex-1">
          <a
            href={app.url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-h-6 items-center gap-1 font-medium text-accent hover:underline"
          >
            {app.url} <ExternalLink className="size-3.5" aria-hidden />
          </a>
          <p className="flex flex-wrap gap-x-4 text-sm text-muted">
            <Link
              to="/bots/$botId"
              params={{ botId: app.bot_id }}
              className="inline-flex min-h-6 items-center underline"
            >
              {botName}
            </Link>
            <span>{t(`status.${app.status}`)}</span>
            <span>{app.port === null ? t('apps.port_of_bot') : t('apps.port_is', { port: String(app.port) })}</span>
            {app.health_path && <code className="font-mono">{app.health_path}</code>}
          </p>
          <Visits app={app} />
        </div>
        <div className="flex flex-wrap gap-1.5">
          <Button size="small" aria-expanded={areDomainsOpen} onClick={() => setDomainsOpen(!areDomainsOpen)}>
            {t('apps.domains')}
          </Button>
          <Button size="small" aria-label={t('apps.change_of', { name: app.name })} onClick={() => setEdited(true)}>
            {t('apps.change')}
          </Button>
          <IconButton
            size="small"
            label={t('backups.delete_of', { name: app.name })}
            data-tip-side="end"
            onClick={onDelete}
          >
            <Trash2 className="size-4" aria-hidden />
          </IconButton>
        </div>
      </div>
      {areDomainsOpen && <Domains app={app} />}
      {isEdited && <EditAppDialog app={app} onChanged={onChanged} onClose={() => setEdited(false)} />}
    </li>
  );
}

function Visits({ app }: { app: AppData }) {
  const { last_request_at: lastAt, requests_24h: requests, errors_24h: errors } = app;
  const { refused_24h: refused, ms_p95_24h: p95 } = app;
  const language = shownLanguage.get();
  if (lastAt === null) return <p className="text-sm text-muted">{t('apps.no_visits')}</p>;
  return (
    <p className="flex flex-wrap gap-x-4 text-sm text-muted tabular-nums">
      <span>
        {t('apps.last_visit')} <Ago at={lastAt} />
      </span>
      <span>{t('apps.requests', { count: requests, shown: formatNumber(requests, language) })}</span>
      {requests > 0 && (
        <span className={errors > 0 ? 'text-bad' : undefined}>
          {t('apps.error_rate', { rate: formatPercent((errors / requests) * 100, language, 1) })}
        </span>
      )}
      {p95 !== null && <span>{t('apps.p95', { time: formatMs(p95, language) })}</span>}
      {refused > 0 && (
        <span className="text-warn">{t('apps.refused', { shown: formatNumber(refused, language) })}</span>
      )}
    </p>
  );
}
