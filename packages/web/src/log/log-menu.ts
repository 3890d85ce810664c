// Actions on the lines shown: copy, clear, download.
import type { MenuEntry } from '../kit/menu-entry.ts';
import { toastSuccess } from '../kit/toast.tsx';
import { copyText } from '../lib/copy-text.ts';
import { t } from '../texts/text.ts';
import { rowsAsText } from './log-filter.ts';
import type { LogRow } from './log-row.ts';

interface MenuInput {
  rows: () => LogRow[];
  clear: () => void;
  download: () => void;
}

export function logMenu({ rows, clear, download }: MenuInput): MenuEntry[] {
  const copy = async () => {
    if (await copyText(rowsAsText(rows()))) toastSuccess(t('action.copied'));
  };
  return [
    { label: t('log.copy'), act: () => void copy() },
    { label: t('log.clear'), act: clear },
    { label: t('log.download'), act: download },
  ];
}
