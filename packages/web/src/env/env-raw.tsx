// Variables as the text of a .env file, with faults by line.
import { useId } from 'react';
import { t } from '../texts/text.ts';
import { parseDotEnv } from './dot-env.ts';
import type { EnvFault, EnvRow } from './env-draft.ts';

interface RawProps {
  text: string;
  onChange: (text: string) => void;
  rows: EnvRow[];
  /** By row id. */
  rowFaults: Map<number, EnvFault>;
}

export function EnvRaw({ text, onChange, rows, rowFaults }: RawProps) {
  const hintId = useId();
  const faults = parseDotEnv(text).filter((entry) => entry.fault !== null);
  return (
    <div className="grid gap-1.5">
      <textarea
        className="min-h-72 w-full rounded-lg bg-surface p-3 font-mono text-base leading-6 ring-1 ring-edge ring-inset focus-visible:outline-offset-0 sm:text-sm"
        aria-label={t('env.raw_label')}
        aria-describedby={hintId}
        aria-invalid={faults.length > 0 || undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
      <div id={hintId} className="text-sm">
        <p className="text-muted">{t('env.raw_hint')}</p>
        {faults.map(({ line, fault }) => (
          <p key={line} className="text-bad">
            {t(fault === 'no_equals' ? 'env.line_fault_no_equals' : 'env.line_fault_open_quote', { line })}
          </p>
        ))}
        {rows.map(({ id, key }) => {
          const fault = rowFaults.get(id);
          return (
            fault && (
              <p key={id} className="text-bad">
                <code>{key}</code> {t(`env.fault_${fault}`)}
              </p>
            )
          );
        })}
      </div>
    </div>
  );
}
