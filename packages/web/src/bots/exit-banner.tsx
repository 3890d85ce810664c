// The banner above the console: why the bot ended and what helps, or that changes need a restart.
import type { BotData, ExitData } from '@botel/contract/bots';
import { Link } from '@tanstack/react-router';
import { Ban, RefreshCw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { Ago, useNow } from '../kit/time.tsx';
import { toastSuccess, withToast } from '../kit/toast.tsx';
import { formatDuration, formatNumber } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { act, showBot } from './act.ts';
import { adviceFor, endToTell, headlineOf } from './exit-advice.ts';

export function ExitBanner({ bot }: { bot: BotData }) {
  if (bot.suspended) return <SuspendedBanner reason={bot.suspended_reason} />;
  const end = endToTell(bot);
  if (end) return <EndBanner bot={bot} end={end} />;
  if (!bot.needs_restart) return null;
  return (
    <div role="status" className="mb-4 flex flex-wrap items-center gap-3 rounded-card bg-info-soft p-3">
      <RefreshCw className="size-5 shrink-0 text-info" aria-hidden />
      <p className="min-w-0 flex-1">{t('exit.changed')}</p>
      <Button size="small" sends onClick={() => void act('restart', bot.id)}>
        {t('exit.apply')}
      </Button>
    </div>
  );
}

function SuspendedBanner({ reason }: { reason: string | null }) {
  return (
    <section aria-labelledby="suspended-title" className="mb-4 flex gap-3 rounded-card bg-bad-soft p-4">
      <Ban className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
      <div className="grid min-w-0 gap-1">
        <h2 id="suspended-title" className="text-base">
          {t('why.suspended')}
        </h2>
        <p className="break-words">{reason ? t('exit.suspended_because', { reason }) : t('exit.suspended')}</p>
      </div>
    </section>
  );
}

function EndBanner({ bot, end }: { bot: BotData; end: ExitData }) {
  const language = shownLanguage.get();
  const facts = [
    end.code !== null && t('exit.code', { code: String(end.code) }),
    end.signal !== null && t('exit.signal', { signal: end.signal }),
    end.uptime_seconds > 0 && t('exit.after', { time: formatDuration(end.uptime_seconds, language) }),
    end.oom &&
      end.memory_peak_mb !== null &&
      t('exit.peak', { peak: formatNumber(end.memory_peak_mb, language), limit: bot.memory }),
  ].filter((fact) => fact !== false);
  const [before, after] = t(headlineOf(bot), { time: '\u0000' }).split('\u0000');
  return (
    <section aria-labelledby="exit-title" className="mb-4 flex gap-3 rounded-card bg-bad-soft p-4">
      <TriangleAlert className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
      <div className="grid min-w-0 flex-1 gap-2">
        <h2 id="exit-title" className="text-base">
          {before}
          <Ago at={end.at} />
          {after}
          {facts.length > 0 && <span className="font-normal">{` (${facts.join(', ')})`}</span>}
        </h2>
        <p>{end.hint?.text ?? end.message}</p>
        {bot.next_restart_at && <NextStart at={bot.next_restart_at} />}
        {end.last_lines.length > 0 && (
          <details>
            <summary className="min-h-6 w-max cursor-pointer text-sm font-medium">{t('exit.last_lines')}</summary>
            <pre className="mt-1 rounded-lg bg-surface p-2 font-mono text-xs whitespace-pre-wrap">
              {end.last_lines.join('\n')}
            </pre>
          </details>
        )}
        <Offers bot={bot} end={end} />
      </div>
    </section>
  );
}

function Offers({ bot, end }: { bot: BotData; end: ExitData }) {
  const [isRaising, setRaising] = useState(false);
  const advice = adviceFor(end);
  const more = bot.memory * 2;
  const raise = async () => {
    setRaising(true);
    const worked = await withToast(async () => {
      const { data } = await call<BotData>('POST', '/bots/update', { bot_id: bot.id, memory: more });
      showBot(bot.id, data);
    });
    if (worked) toastSuccess(t('exit.raised', { memory: more }));
    if (worked) await act('start', bot.id);
    setRaising(false);
  };
  return (
    <div className="flex flex-wrap gap-2">
      {advice === 'memory' && (
        <Button size="small" variant="primary" sends busy={isRaising} onClick={() => void raise()}>
          {t('exit.raise', { memory: more })}
        </Button>
      )}
      {advice === 'env' && <LinkButton to="/bots/$botId/env" botId={bot.id} text={t('exit.to_env')} />}
      {advice === 'files' && <LinkButton to="/bots/$botId/files" botId={bot.id} text={t('exit.to_files')} />}
      <Link
        to="/bots/$botId"
        params={{ botId: bot.id }}
        search={{ run: end.run }}
        className="inline-flex h-8 items-center rounded-lg bg-surface px-2.5 text-sm font-medium ring-1 ring-edge/60 ring-inset hover:bg-sunken touch:min-h-11"
      >
        {t('exit.to_lines')}
      </Link>
      {bot.next_restart_at && (
        <>
          <Button size="small" sends onClick={() => void act('start', bot.id)}>
            {t('exit.start')}
          </Button>
          <Button size="small" sends onClick={() => void act('stop', bot.id)}>
            {t('exit.stop_trying')}
          </Button>
        </>
      )}
    </div>
  );
}

function LinkButton({
  to,
  botId,
  text,
}: {
  to: '/bots/$botId/env' | '/bots/$botId/files';
  botId: string;
  text: string;
}) {
  return (
    <Link
      to={to}
      params={{ botId }}
      className="inline-flex h-8 items-center rounded-lg bg-accent px-2.5 text-sm font-medium text-on-accent touch:min-h-11"
    >
      {text}
    </Link>
  );
}

function NextStart({ at }: { at: string }) {
  const seconds = Math.max(0, Math.ceil((Date.parse(at) - useNow()) / 1000));
  return <p className="tabular-nums">{t('exit.next', { time: formatDuration(seconds, shownLanguage.get()) })}</p>;
}
