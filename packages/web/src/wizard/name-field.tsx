// The name of a bot, validated while typing.
import { Field, TextInput } from '../kit/field.tsx';
import { t } from '../texts/text.ts';
import { nameFault } from './detect.ts';

interface NameFieldProps {
  value: string;
  hint?: string | undefined;
  onChange: (value: string) => void;
}

export function NameField({ value, hint, onChange }: NameFieldProps) {
  const fault = value === '' ? null : nameFault(value);
  return (
    <Field label={t('new.name')} hint={hint} fault={fault && t(`new.name_${fault}`)}>
      <TextInput
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
