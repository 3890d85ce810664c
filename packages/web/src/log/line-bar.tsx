// The bar below the log for a selected line: its number, a link to it, and the way to its
// neighbours when filters hide them.
import { Link2, ListCollapse, X } from 'lucide-react';
import { Button, IconButton } from '../kit/button.tsx';
import { toastSuccess } from '../kit/toast.tsx';
import { copyText } from '../lib/copy-text.ts';
import { t } from '../texts/text.ts';

interface LineBarProps {
  seq: number;
  /** URL of the page at the line. */
  link: string;
  isFiltered: boolean;
  onContext: () => void;
  onClose: () => void;
}

export function LineBar({ seq, link, isFiltered, onContext, onClose }: LineBarProps) {
  const copy = async () => {
    if (await copyText(new URL(link, location.href).href)) toastSuccess(t('action.copied'));
  };
  return (
    <div className="flex flex-wrap items-center gap-1.5 border-t border-line px-3 py-1.5 text-sm">
      <span className="me-auto tabular-nums">{t('log.line', { seq })}</span>
      <Button size="small" icon={<Link2 className="size-4" aria-hidden />} onClick={() => void copy()}>
        {t('log.copy_link')}
      </Button>
      {isFiltered && (
        <Button size="small" icon={<ListCollapse className="size-4" aria-hidden />} onClick={onContext}>
          {t('log.in_context')}
        </Button>
      )}
      <IconButton size="small" label={t('log.line_close')} data-tip-side="end" onClick={onClose}>
        <X className="size-4" aria-hidden />
      </IconButton>
    </div>
  );
}
