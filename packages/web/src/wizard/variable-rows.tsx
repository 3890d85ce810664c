// Block 3 of the wizard: masked variables; a pasted `.env` fills them. For each secret of the
// template it says where to find it and whether it looks complete.
import type { TemplateSecret } from '@botel/contract/templates';
import { Eye, EyeOff, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { addRow, changeRow, type EnvRow, faultsOf, isPastedFile, paste, removeRow } from '../env/env-draft.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Card } from '../kit/card.tsx';
import { TextInput } from '../kit/field.tsx';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { isOfForm } from './template-rows.ts';

interface VariableRowsProps {
  rows: EnvRow[];
  /** What the template needs. */
  secrets: TemplateSecret[];
  onChange: (rows: EnvRow[]) => void;
}

export function VariableRows({ rows, secrets, onChange }: VariableRowsProps) {
  const [isShown, setShown] = useState(false);
  const faults = faultsOf(rows);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Card
      title={t('new.variables')}
      lead={t('new.variables_lead')}
      actions={
        rows.length > 0 && (
          <Button
            size="small"
            variant="quiet"
            icon={<Icon className="size-4" aria-hidden />}
            onClick={() => setShown(!isShown)}
          >
            {t(isShown ? 'new.hide_values' : 'new.show_values')}
          </Button>
        )
      }
    >
      <ul className="grid gap-2">
        {rows.map((row, index) => (
          <li key={row.id} className="flex flex-wrap items-start gap-2">
            <div className="grid min-w-0 flex-1 grid-cols-1 gap-2 sm:grid-cols-2">
              <TextInput
                aria-label={t('new.key_of', { number: index + 1 })}
                aria-invalid={faults.has(row.id) || undefined}
                className="font-mono"
                placeholder="TOKEN"
                autoComplete="off"
                spellCheck={false}
                value={row.key}
                onPaste={(event) => {
                  const text = event.clipboardData.getData('text');
                  if (!isPastedFile(text)) return;
                  event.preventDefault();
                  onChange(paste(rows, text));
                }}
                onChange={(event) => onChange(changeRow(rows, row.id, { key: event.target.value }))}
              />
              <TextInput
                aria-label={t('new.value_of', { name: row.key || index + 1 })}
                aria-describedby={`secret-${row.id}`}
                type={isShown ? 'text' : 'password'}
                className="font-mono"
                autoComplete="off"
                spellCheck={false}
                value={row.value ?? ''}
                onChange={(event) => onChange(changeRow(rows, row.id, { value: event.target.value }))}
              />
            </div>
            <IconButton
              label={t('new.remove_variable', { name: row.key || index + 1 })}
              data-tip-side="end"
              onClick={() => onChange(removeRow(rows, row.id))}
            >
              <Trash2 className="size-4" aria-hidden />
            </IconButton>
            <SecretHelp row={row} secret={secrets.find(({ key }) => key === row.key)} />
          </li>
        ))}
      </ul>
      <Button className="mt-3" icon={<Plus className="size-4" aria-hidden />} onClick={() => onChange(addRow(rows))}>
        {t('new.add_variable')}
      </Button>
    </Card>
  );
}

/** Shown below rows the template requires. */
function SecretHelp({ row: { id, value }, secret }: { row: EnvRow; secret: TemplateSecret | undefined }) {
  const isOdd = secret !== undefined && Boolean(value) && !isOfForm(secret.kind, value ?? '');
  return (
    <div id={`secret-${id}`} className={classes('basis-full text-sm', !secret && 'hidden')}>
      {secret && <p className="text-muted">{t(`secret.${secret.kind}.where`)}</p>}
      <p role="status" className="text-warn">
        {isOdd && t(`secret.${secret.kind}.odd`)}
      </p>
    </div>
  );
}
