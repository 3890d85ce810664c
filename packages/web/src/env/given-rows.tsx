// The variables that Botel sets for every bot: shown among the others, read-only.
import type { AppData } from '@botel/contract/apps';
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { read } from '../api/calls.ts';
import { t } from '../texts/text.ts';

/** For a bot without an app, or whose app sets no port. */
const usualPort = 3000;

export function GivenRows({ bot, hasOwnPort }: { bot: BotData; hasOwnPort: boolean }) {
  const appId = bot.app?.id ?? null;
  const { data: app } = useQuery({
    queryKey: ['app', appId],
    queryFn: ({ signal }) => read<AppData>(`/apps/${appId}`, signal),
    enabled: appId !== null,
  });
  const rows: [key: string, value: string, hint: string][] = [
    ['BOTEL_BOT_ID', bot.id, t('env.given_id')],
    ['BOTEL_BOT_NAME', bot.name, t('env.given_name')],
    ['BOTEL_RUN', String(bot.run), t('env.given_run')],
  ];
  if (!hasOwnPort) rows.unshift(['PORT', String(app?.port ?? usualPort), t('env.port_hint')]);
  return (
    <section aria-label={t('env.by_botel')} className="mt-5 border-t border-line pt-4">
      <h3 className="text-sm">{t('env.by_botel')}</h3>
      <dl className="mt-2 grid gap-1.5">
        {rows.map(([key, value, hint]) => (
          <div
            key={key}
            className="grid items-center gap-x-3 gap-y-0.5 rounded-lg bg-sunken px-2.5 py-1.5 text-sm sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_12rem]"
          >
            <dt className="flex items-center gap-2 font-mono">
              <Lock className="size-3.5 shrink-0 text-muted" aria-hidden />
              {key}
            </dt>
            <dd className="min-w-0 font-mono">{value}</dd>
            <dd className="text-muted sm:text-end">{hint}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-sm text-muted">{t('env.show_hint')}</p>
    </section>
  );
}
