// The fields of a bot's settings, by group.
import type { BotData } from '@botel/contract/bots';
import { botNetworks, restartModes, stopSignals } from '@botel/contract/vocabulary';
import { CheckBox, Field, Select, TextInput } from '../kit/field.tsx';
import { t } from '../texts/text.ts';
import type { SettingsDraft } from './settings-draft.ts';

export interface FieldsProps {
  draft: SettingsDraft;
  change: (fields: Partial<SettingsDraft>) => void;
  /** The server's error for a field; null = none. */
  faultOf: (field: string) => string | null;
}

interface NumberProps {
  value: number | null;
  min: number;
  max: number;
  /** May be empty. */
  isOptional?: boolean;
  onChange: (value: number | null) => void;
}

function NumberInput({ value, min, max, isOptional, onChange }: NumberProps) {
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      min={min}
      max={max}
      step={1}
      required={!isOptional}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : Math.round(target.valueAsNumber))}
    />
  );
}

export function RestartFields({ draft, change, faultOf }: FieldsProps) {
  const isTried = draft.mode !== 'never';
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('settings.restart')} hint={t(`settings.restart.${draft.mode}`)} className="sm:col-span-2">
        <Select value={draft.mode} onChange={(e) => change({ mode: e.target.value as SettingsDraft['mode'] })}>
          {restartModes.map((mode) => (
            <option key={mode} value={mode}>
              {t(`settings.mode.${mode}`)}
            </option>
          ))}
        </Select>
      </Field>
      {isTried && (
        <>
          <Field
            label={t('settings.backoff')}
            hint={t('settings.backoff_hint')}
            fault={faultOf('restart_policy.backoff_max_seconds')}
          >
            <NumberInput value={draft.backoff} min={1} max={3600} onChange={(n) => change({ backoff: n ?? 0 })} />
          </Field>
          <Field
            label={t('settings.retries')}
            hint={t('settings.retries_hint')}
            fault={faultOf('restart_policy.max_retries')}
          >
            <NumberInput
              value={draft.retries}
              min={1}
              max={1000}
              isOptional
              onChange={(retries) => change({ retries })}
            />
          </Field>
        </>
      )}
      <Field label={t('settings.signal')} hint={t('settings.signal_hint')}>
        <Select value={draft.signal} onChange={(e) => change({ signal: e.target.value })}>
          {stopSignals.map((signal) => (
            <option key={signal}>{signal}</option>
          ))}
        </Select>
      </Field>
      <Field label={t('settings.grace')} hint={t('settings.grace_hint')} fault={faultOf('stop.grace_seconds')}>
        <NumberInput value={draft.grace} min={1} max={300} onChange={(n) => change({ grace: n ?? 0 })} />
      </Field>
    </div>
  );
}

export function ContainerFields({ draft, change, faultOf, allowed }: FieldsProps & { allowed: readonly string[] }) {
  const packages = [...new Set([...allowed, ...draft.packages])].toSorted();
  const turn = (name: string, isWanted: boolean) => {
    const others = draft.packages.filter((each) => each !== name);
    change({ packages: isWanted ? [...others, name].toSorted() : others });
  };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('settings.disk')} hint={t('settings.disk_hint')} fault={faultOf('disk_mb')}>
        <NumberInput value={draft.diskMb} min={16} max={1_048_576} onChange={(n) => change({ diskMb: n ?? 0 })} />
      </Field>
      <Field label={t('settings.network')} hint={t(`settings.network_hint.${draft.network}`)}>
        <Select value={draft.network} onChange={(e) => change({ network: e.target.value as BotData['network'] })}>
          {botNetworks.map((network) => (
            <option key={network} value={network}>
              {t(`settings.network.${network}`)}
            </option>
          ))}
        </Select>
      </Field>
      {packages.length > 0 && (
        <fieldset className="sm:col-span-2">
          <legend className="text-sm font-medium">{t('settings.packages')}</legend>
          <p className="mt-0.5 mb-2 text-sm text-muted">{t('settings.packages_hint')}</p>
          <div className="grid gap-x-4 sm:grid-cols-3">
            {packages.map((name) => (
              <CheckBox
                key={name}
                label={name}
                checked={draft.packages.includes(name)}
                onChange={(event) => turn(name, event.target.checked)}
              />
            ))}
          </div>
          {faultOf('packages') && (
            <p role="alert" className="mt-1 text-sm text-bad">
              {faultOf('packages')}
            </p>
          )}
        </fieldset>
      )}
      <div className="sm:col-span-2">
        <CheckBox
          label={t('settings.stdin')}
          hint={t('settings.stdin_hint')}
          checked={draft.stdin}
          onChange={(event) => change({ stdin: event.target.checked })}
        />
      </div>
    </div>
  );
}
