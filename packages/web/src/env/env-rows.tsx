// Variables as rows: name, masked value, and faults.
import { Eye, EyeOff, Plus, Trash2, Undo2 } from 'lucide-react';
import { type ClipboardEvent, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { Empty } from '../kit/states.tsx';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { parseDotEnv } from './dot-env.ts';
import {
  addRow,
  changeRow,
  type EnvFault,
  type EnvRow,
  isPastedFile,
  paste,
  removeRow,
  restoreRow,
} from './env-draft.ts';
import type { Environment } from './use-environment.ts';

const field =
  'w-full rounded-lg bg-surface px-2.5 py-1.5 font-mono text-base ring-1 ring-edge ring-inset sm:text-sm ' +
  'focus-visible:outline-offset-0 aria-invalid:ring-bad touch:min-h-11';

interface RowsProps {
  environment: Environment;
  faults: Map<number, EnvFault>;
  /** All values are shown. */
  showsAll: boolean;
}

export function EnvRows({ environment, faults, showsAll }: RowsProps) {
  const { rows, setRows, stored } = environment;
  return (
    <>
      {rows.length === 0 && <Empty title={t('env.empty')} />}
      <ul className="grid gap-2">
        {rows.map((row, index) => (
          <Row
            key={row.id}
            row={row}
            number={index + 1}
            isChanged={row.stored && row.value !== null && stored.values?.[row.key] !== row.value}
            fault={faults.get(row.id) ?? null}
            showsAll={showsAll}
            environment={environment}
          />
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button icon={<Plus className="size-4" aria-hidden />} onClick={() => setRows(addRow(rows))}>
          {t('env.add')}
        </Button>
        <p className="text-sm text-muted">{t('env.paste_hint')}</p>
      </div>
    </>
  );
}

interface RowProps {
  row: EnvRow;
  number: number;
  isChanged: boolean;
  fault: EnvFault | null;
  showsAll: boolean;
  environment: Environment;
}

function Row({ row, number, isChanged, fault, showsAll, environment }: RowProps) {
  const { rows, setRows, loadValues } = environment;
  const [showsThis, setShowsThis] = useState(false);
  const isShown = showsAll || showsThis || !row.stored;
  const faultId = `fault-${row.id}`;
  const name = row.key || String(number);
  const pasted = (event: ClipboardEvent, minLines: number) => {
    const text = event.clipboardData.getData('text');
    if (!isPastedFile(text) || parseDotEnv(text).length < minLines) return;
    event.preventDefault();
    setRows(paste(rows, text));
  };
  const toggle = async () => {
    if (row.value === null && !(await loadValues())) return;
    setShowsThis(!showsThis);
  };
  if (row.removed)
    return (
      <li className="flex min-h-10 items-center gap-2 rounded-lg bg-sunken px-2.5 text-muted">
        <span className="min-w-0 grow font-mono text-sm">
          <s>{row.key}</s> <span className="font-sans">{t('env.removed')}</span>
        </span>
        <IconButton label={t('env.restore', { key: name })} onClick={() => setRows(restoreRow(rows, row.id))}>
          <Undo2 className="size-4" aria-hidden />
        </IconButton>
      </li>
    );
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <div className="max-sm:col-span-2">
        {row.stored ? (
          <p className="flex min-h-9 flex-wrap items-center gap-2 px-1 font-mono text-sm">
            {row.key}
            {isChanged && <Mark text={t('env.changed')} />}
          </p>
        ) : (
          <input
            className={field}
            aria-label={t('env.key_of', { number })}
            aria-invalid={fault !== null || undefined}
            aria-describedby={fault ? faultId : undefined}
            placeholder={t('env.key')}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            // Continue with the row just added.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus={row.key === ''}
            value={row.key}
            onChange={(event) => setRows(changeRow(rows, row.id, { key: event.target.value }))}
            onPaste={(event) => pasted(event, 1)}
          />
        )}
      </div>
      <textarea
        rows={1}
        className={classes(
          field,
          'max-h-48 resize-y [field-sizing:content]',
          !isShown && '[-webkit-text-security:disc]',
        )}
        aria-label={t('env.value_of', { key: name })}
        placeholder={row.value === null ? t('env.hidden') : t('env.value')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={row.value ?? ''}
        onChange={(event) => setRows(changeRow(rows, row.id, { value: event.target.value }))}
        onPaste={(event) => pasted(event, 2)}
      />
      <div className="flex">
        <IconButton
          label={t(isShown ? 'env.hide' : 'env.show', { key: name })}
          onClick={() => void toggle()}
          className={classes((showsAll || !row.stored) && 'invisible')}
        >
          {isShown ? <EyeOff className="size-4" aria-hidden /> : <Eye className="size-4" aria-hidden />}
        </IconButton>
        <IconButton
          label={t('env.remove', { key: name })}
          data-tip-side="end"
          onClick={() => setRows(removeRow(rows, row.id))}
        >
          <Trash2 className="size-4" aria-hidden />
        </IconButton>
      </div>
      {fault && (
        <p id={faultId} className="col-span-full text-sm text-bad">
          {t(`env.fault_${fault}`)}
        </p>
      )}
    </li>
  );
}

function Mark({ text }: { text: string }) {
  return <span className="rounded-full bg-info-soft px-2 font-sans text-xs text-info">{text}</span>;
}
