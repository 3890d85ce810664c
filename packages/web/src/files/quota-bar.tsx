// The disk usage of a bot, with a warning when it gets full.
import type { BotData } from '@botel/contract/bots';
import { Meter } from '../kit/meter.tsx';
import { formatBytes } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { quotaOf } from './quota.ts';

export function QuotaBar({ bot }: { bot: BotData }) {
  const language = shownLanguage.get();
  const { usedBytes, limitBytes, files, state } = quotaOf(bot);
  const limit = formatBytes(limitBytes, language);
  return (
    <div className="grid gap-2">
      <Meter
        label={t('files.quota')}
        used={usedBytes ?? 0}
        limit={limitBytes}
        text={
          usedBytes === null
            ? t('files.quota_unknown', { limit })
            : t('files.quota_of', { used: formatBytes(usedBytes, language), limit })
        }
      />
      {files && (
        <Meter label={t('files.quota_files')} used={files.used} limit={files.limit} text={t('files.quota_of', files)} />
      )}
      {state !== 'fine' && (
        <p className={state === 'bad' ? 'text-xs text-bad' : 'text-xs text-warn'}>{t(`files.quota_${state}`)}</p>
      )}
    </div>
  );
}
