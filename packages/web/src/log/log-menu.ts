// What can be done with the lines that are shown: copy, clear, save, download.
import type { MenuEntry } from '../kit/menu-entry.ts';
import { tellDone } from '../kit/toast.tsx';
import { copyText } from '../lib/copy-text.ts';
import { t } from '../texts/text.ts';
import { rowsAsJsonLines, rowsAsText } from './log-filter.ts';
import type { LogRow } from './log-row.ts';
import { saveText } from '../lib/save-text.ts';

interface MenuInput {
  botId: string;
  botName: string;
  /** The run that the reader has chosen; null = all. */
  run: number | null;
  rows: () => LogRow[];
  clear: () => void;
}

export function logMenu({ botId, botName, run, rows, clear }: MenuInput): MenuEntry[] {
  const download = `/bots/${botId}/logs/download`;
  const copy = async () => {
    if (await copyText(rowsAsText(rows()))) tellDone(t('action.copied'));
  };
  const ofRun = { label: t('log.save_run', { run: run ?? 0 }), act: () => location.assign(`${download}?run=${run}`) };
  return [
    { label: t('log.copy'), act: () => void copy() },
    { label: t('log.clear'), act: clear },
    { label: t('log.save_text'), act: () => saveText(`${botName}.log`, rowsAsText(rows())) },
    { label: t('log.save_json'), act: () => saveText(`${botName}.jsonl`, rowsAsJsonLines(rows())) },
    ...(run === null ? [] : [ofRun]),
    { label: t('log.save_all'), act: () => location.assign(download) },
  ];
}
