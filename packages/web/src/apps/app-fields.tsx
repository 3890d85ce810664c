// Port and health check path of an app, as typed.
import { Field, TextInput } from '../kit/field.tsx';
import { t } from '../texts/text.ts';

/** '' = the API's default. */
export interface AppFieldValues {
  port: string;
  healthPath: string;
}

interface AppFieldsProps extends AppFieldValues {
  onChange: (change: Partial<AppFieldValues>) => void;
}

export function AppFields({ port, healthPath, onChange }: AppFieldsProps) {
  return (
    <>
      <Field label={t('apps.port')} hint={t('apps.port_hint')}>
        <TextInput
          type="number"
          min={1}
          max={65_535}
          value={port}
          onChange={({ target }) => onChange({ port: target.value })}
        />
      </Field>
      <Field label={t('apps.health')} hint={t('apps.health_hint')}>
        <TextInput
          className="font-mono"
          placeholder="/health"
          pattern="/.*"
          value={healthPath}
          onChange={({ target }) => onChange({ healthPath: target.value })}
        />
      </Field>
    </>
  );
}
