// The actions of a bot besides Start, Restart and Stop: kill, duplicate, download, delete.
import type { BotData } from '@botel/contract/bots';
import { Copy, Download, Ellipsis, OctagonX, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { downloadAddress } from '../files/files-api.ts';
import { IconButton } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Menu } from '../kit/menu.tsx';
import { t } from '../texts/text.ts';
import { act } from './act.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { DuplicateDialog } from './duplicate-dialog.tsx';
import { killFault } from './lifecycle.ts';

export function BotMenu({ bot }: { bot: BotData }) {
  const [open, setOpen] = useState<'kill' | 'copy' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const why = killFault(bot);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={t('action.more')} variant="plain" data-tip-side="end">
            <Ellipsis className="size-4" aria-hidden />
          </IconButton>
        }
        entries={[
          {
            label: t('verb.kill'),
            icon: <OctagonX className="size-4" />,
            why: why && t(why),
            act: () => setOpen('kill'),
          },
          { label: t('menu.duplicate'), icon: <Copy className="size-4" />, act: () => setOpen('copy') },
          {
            label: t('menu.download'),
            icon: <Download className="size-4" />,
            act: () => location.assign(downloadAddress(bot.id, '')),
          },
          { label: t('menu.delete'), icon: <Trash2 className="size-4" />, isGrave: true, act: () => setOpen('delete') },
        ]}
      />
      {open === 'kill' && (
        <Confirm
          open
          onClose={close}
          title={t('kill.title', { name: bot.name })}
          lead={t('kill.lead')}
          verb={t('verb.kill')}
          onConfirm={() => act('kill', bot.id)}
        />
      )}
      {open === 'copy' && <DuplicateDialog bot={bot} onClose={close} />}
      {open === 'delete' && <DeleteDialog bot={bot} onClose={close} />}
    </>
  );
}
