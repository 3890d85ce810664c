// Copies the variables of another bot into the draft.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../api/calls.ts';
import { botsQuery } from '../api/queries.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Field, Select } from '../kit/field.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import { printDotEnv } from './dot-env.ts';

interface CopyProps {
  botId: string;
  onClose: () => void;
  /** Called with the text of a file. */
  onCopied: (text: string) => void;
}

export function CopyFromDialog({ botId, onClose, onCopied }: CopyProps) {
  const { data: list } = useQuery(botsQuery);
  const others = list?.bots.filter((bot) => bot.id !== botId) ?? [];
  const [chosen, setChosen] = useState('');
  const from = chosen || (others[0]?.id ?? '');
  const copy = () =>
    withToast(async () => {
      const { environment } = await read<{ environment: Record<string, string> }>(`/bots/${from}/env`);
      onCopied(printDotEnv(Object.entries(environment)));
      onClose();
    });
  return (
    <Dialog open onOpenChange={onClose} title={t('env.copy_from')} lead={t('env.copy_lead')}>
      {others.length === 0 ? (
        <p>{t('env.copy_none')}</p>
      ) : (
        <div className="grid gap-4">
          <Field label={t('env.copy_bot')}>
            <Select value={from} onChange={(event) => setChosen(event.target.value)}>
              {others.map((bot) => (
                <option key={bot.id} value={bot.id}>
                  {bot.name}
                </option>
              ))}
            </Select>
          </Field>
          <Button variant="primary" onClick={() => void copy()}>
            {t('action.copy')}
          </Button>
        </div>
      )}
    </Dialog>
  );
}
