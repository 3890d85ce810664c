// The Environment tab of a bot: its startup, and its variables as rows or as a file.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useRef, useState } from 'react';
import { botQuery } from '../../api/queries.ts';
import { CopyFromDialog } from '../../env/copy-from-dialog.tsx';
import { parseDotEnv } from '../../env/dot-env.ts';
import { EnvBar } from '../../env/env-bar.tsx';
import { faultsOf, paste, rawText } from '../../env/env-draft.ts';
import { EnvRaw } from '../../env/env-raw.tsx';
import { GivenRows } from '../../env/given-rows.tsx';
import { EnvRows } from '../../env/env-rows.tsx';
import { StartupCard } from '../../env/startup-card.tsx';
import { useEnvironment } from '../../env/use-environment.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Menu } from '../../kit/menu.tsx';
import { useLeaveGuard } from '../../kit/use-leave-guard.ts';
import { saveText } from '../../lib/save-text.ts';
import { t } from '../../texts/text.ts';

export function EnvTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { data: bot } = useQuery(botQuery(botId));
  if (!bot) return null;
  return (
    <div className="grid grid-cols-1 gap-4">
      <StartupCard key={`${bot.id} startup`} bot={bot} />
      <Variables key={bot.id} bot={bot} />
    </div>
  );
}

function Variables({ bot }: { bot: BotData }) {
  const environment = useEnvironment(bot);
  const { rows, setRows, raw, setRaw, show, loadValues, isDirty, stored } = environment;
  const [showsAll, setShowsAll] = useState(false);
  const [isCopying, setCopying] = useState(false);
  const fileField = useRef<HTMLInputElement>(null);
  useLeaveGuard(isDirty, t('env.leave'));
  const faults = faultsOf(rows);
  const lineFaults = raw === null ? [] : parseDotEnv(raw).filter((entry) => entry.fault !== null);
  const take = (text: string) => (raw === null ? setRows(paste(rows, text)) : setRaw(rawText(paste(rows, text))));
  const toggleAll = async () => {
    if (!showsAll && !(await loadValues())) return;
    setShowsAll(!showsAll);
  };
  const exportAll = async () => {
    const shown = await loadValues();
    if (shown) saveText(`${bot.name}.env`, rawText(shown));
  };
  return (
    <Card
      title={t('env.title')}
      lead={t('env.lead')}
      actions={
        <div className="flex flex-wrap gap-1.5">
          {raw === null && stored.keys.length > 0 && (
            <Button size="small" onClick={() => void toggleAll()} aria-pressed={showsAll}>
              {t(showsAll ? 'env.hide_all' : 'env.show_all')}
            </Button>
          )}
          <Button size="small" onClick={() => void show(raw === null ? 'raw' : 'rows')}>
            {t(raw === null ? 'env.view_raw' : 'env.view_rows')}
          </Button>
          <Menu
            trigger={
              <IconButton size="small" label={t('action.more')} data-tip-side="end">
                <Ellipsis className="size-4" aria-hidden />
              </IconButton>
            }
            entries={[
              { label: t('env.import'), act: () => fileField.current?.click() },
              { label: t('env.export'), act: () => void exportAll() },
              { label: t('env.copy_from'), act: () => setCopying(true) },
            ]}
          />
        </div>
      }
    >
      {raw === null ? (
        <EnvRows environment={environment} faults={faults} showsAll={showsAll} />
      ) : (
        <EnvRaw text={raw} onChange={setRaw} rows={rows} rowFaults={faults} />
      )}
      <GivenRows bot={bot} hasOwnPort={stored.keys.includes('PORT')} />
      {isDirty && <EnvBar environment={environment} faultCount={faults.size + lineFaults.length} />}
      <input
        ref={fileField}
        type="file"
        hidden
        onChange={async (event) => {
          const field = event.currentTarget;
          const text = await field.files?.[0]?.text();
          field.value = '';
          if (text !== undefined) take(text);
        }}
      />
      {isCopying && <CopyFromDialog botId={bot.id} onClose={() => setCopying(false)} onCopied={take} />}
    </Card>
  );
}
