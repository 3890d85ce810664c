// Creates a backup: its name, whether the bot stops during it, and the progress.
import type { BotData } from '@botel/contract/bots';
import { LoaderCircle } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { CheckBox, TextInput } from '../kit/field.tsx';
import { Since } from '../kit/time.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import { type BackupStep, makeBackup } from './make-backup.ts';

interface NewBackupProps {
  bot: BotData;
  /** Why no backup can be created; null = it can. */
  why: string | null;
  onMade: () => void;
}

export function NewBackup({ bot, why, onMade }: NewBackupProps) {
  const [name, setName] = useState('');
  const [stops, setStops] = useState(false);
  const [step, setStep] = useState<{ kind: BackupStep; at: string } | null>(null);
  const isOnline = bot.status === 'online';
  const make = async (event: FormEvent) => {
    event.preventDefault();
    if (step || why) return;
    const report = (kind: BackupStep) => setStep({ kind, at: new Date().toISOString() });
    const isMade = await withToast(() => makeBackup(bot.id, { name, stops: stops && isOnline }, report));
    setStep(null);
    if (isMade) setName('');
    onMade();
  };
  return (
    <form className="grid gap-2" onSubmit={(event) => void make(event)}>
      <div className="flex flex-wrap gap-2">
        <div className="min-w-40 grow sm:max-w-xs">
          <TextInput
            aria-label={t('backups.name')}
            placeholder={t('backups.name')}
            required
            minLength={2}
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button type="submit" variant="primary" className="h-10" busy={step !== null} why={why}>
          {t('backups.make')}
        </Button>
      </div>
      {isOnline && !step && (
        <CheckBox
          label={t('backups.stop_first')}
          hint={t('backups.stop_hint')}
          checked={stops}
          onChange={(event) => setStops(event.target.checked)}
        />
      )}
      {step && (
        <p role="status" className="flex items-center gap-2 text-sm text-muted">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          <span>{t(`backups.step.${step.kind}`)}</span>
          <span aria-hidden className="tabular-nums">
            <Since key={step.kind} at={step.at} />
          </span>
        </p>
      )}
    </form>
  );
}
