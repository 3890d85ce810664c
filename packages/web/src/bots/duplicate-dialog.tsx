// Asks for the name of a copy and shows the progress.
import type { BotData } from '@botel/contract/bots';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Check, LoaderCircle } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { botsQuery, recentMetricsQuery, usageQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { CheckBox } from '../kit/field.tsx';
import { ErrorCard, errorText } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { nameFault } from '../wizard/detect.ts';
import { MemoryField } from '../wizard/memory-field.tsx';
import { NameField } from '../wizard/name-field.tsx';
import { type CopyStep, copyName, copySteps, duplicateBot } from './duplicate-bot.ts';

export function DuplicateDialog({ bot, onClose }: { bot: BotData; onClose: () => void }) {
  const { data: bots } = useQuery(botsQuery);
  const { data: usage } = useQuery(usageQuery);
  const [typed, setName] = useState<string | null>(null);
  const [memory, setMemory] = useState(bot.memory);
  const [starts, setStarts] = useState(bot.status === 'online');
  const [step, setStep] = useState<CopyStep | null>(null);
  const [error, setError] = useState<unknown>(null);
  const navigate = useNavigate();
  const name = typed ?? copyName(bot.name, new Set(bots?.bots.map((each) => each.name)));
  const fault = nameFault(name);
  const isMemoryFault = isApiError(error) && error.code === 'insufficient_memory';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (fault || step) return;
    setError(null);
    try {
      const botId = await duplicateBot(bot, { name, memory, starts }, setStep);
      onClose();
      void navigate({ to: '/bots/$botId', params: { botId } });
    } catch (caught) {
      setError(caught);
      setStep(null);
    }
    for (const { queryKey } of [botsQuery, recentMetricsQuery, usageQuery])
      void queryClient.invalidateQueries({ queryKey });
  };
  return (
    <Dialog
      open
      isFirm={step !== null}
      onOpenChange={onClose}
      title={t('copy.title', { name: bot.name })}
      lead={t('copy.lead')}
    >
      <form className="grid grid-cols-1 gap-4" onSubmit={(event) => void submit(event)}>
        <NameField value={name} onChange={setName} />
        <MemoryField
          value={memory}
          onChange={setMemory}
          availableMb={usage?.memory.available_mb ?? memory}
          fault={isMemoryFault ? errorText(error) : null}
        />
        <CheckBox label={t('copy.start')} checked={starts} onChange={(event) => setStarts(event.target.checked)} />
        {error !== null && !isMemoryFault && <ErrorCard error={error} />}
        {step && <Steps step={step} starts={starts} />}
        <div className="flex justify-end gap-2">
          <Button why={step && t('copy.under_way')} onClick={onClose}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" variant="primary" busy={step !== null}>
            {t('menu.duplicate')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Finished, current and pending steps. */
function Steps({ step, starts }: { step: CopyStep; starts: boolean }) {
  const now = copySteps.indexOf(step);
  return (
    <ol role="status" className="grid gap-1 text-sm">
      {copySteps
        .filter((each) => starts || each !== 'start')
        .map((each, index) => (
          <li key={each} className={classes('flex items-center gap-2', index > now && 'text-muted')}>
            {index < now && <Check className="size-4 text-good" aria-hidden />}
            {index === now && <LoaderCircle className="size-4 animate-spin" aria-hidden />}
            {index > now && <span className="size-4" />}
            {t(`copy.step.${each}`)}
          </li>
        ))}
    </ol>
  );
}
