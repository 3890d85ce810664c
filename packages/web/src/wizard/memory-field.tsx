// The memory slider of a bot, with the CPU share that comes with it, within what the plan has left.
import { Button } from '../kit/button.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { formatNumber } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';

const minMb = 128;
const stepMb = 64;
const mbPerVcpu = 512;

interface MemoryFieldProps {
  value: number;
  onChange: (mb: number) => void;
  /** Memory left in the plan for this bot, in MB. */
  availableMb: number;
  /** The server's error. */
  fault?: string | null;
}

export function MemoryField({ value, onChange, availableMb, fault }: MemoryFieldProps) {
  const language = shownLanguage.get();
  const maxMb = Math.max(minMb, availableMb);
  const tooMuch = value > availableMb ? t('new.memory_over', { available: availableMb }) : null;
  const shown = fault ?? tooMuch;
  return (
    <div className="grid grid-cols-1 gap-2">
      <Field
        label={t('new.memory')}
        hint={t('new.memory_hint', { vcpu: formatNumber(value / mbPerVcpu, language, 3), available: availableMb })}
        fault={shown}
      >
        <div className="flex flex-wrap items-center gap-3">
          <input
            type="range"
            aria-label={t('new.memory')}
            aria-valuetext={t('new.mb', { memory: value })}
            min={minMb}
            max={maxMb}
            step={stepMb}
            value={value}
            onChange={(event) => onChange(Number(event.target.value))}
            className="h-6 w-24 min-w-0 grow accent-accent"
          />
          <div className="w-24 shrink-0">
            <TextInput
              type="number"
              inputMode="numeric"
              min={minMb}
              value={value}
              onChange={(event) => onChange(Math.round(Number(event.target.value)))}
            />
          </div>
        </div>
      </Field>
      {shown && availableMb >= minMb && value !== availableMb && (
        <div>
          <Button size="small" onClick={() => onChange(availableMb)}>
            {t('new.use_available', { available: availableMb })}
          </Button>
        </div>
      )}
    </div>
  );
}
