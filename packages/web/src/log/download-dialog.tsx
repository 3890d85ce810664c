// Chooses which log lines to download and in which format. Lines shown come from the page, all
// others from the server.
import { logFileFormats } from '@botel/contract/vocabulary';
import { type FormEvent, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Field, Select, TextInput } from '../kit/field.tsx';
import { saveText } from '../lib/save-text.ts';
import { t } from '../texts/text.ts';
import { downloadAddress, type LogPart } from './download-address.ts';
import { rowsAsJsonLines, rowsAsText } from './log-filter.ts';
import type { LogRow } from './log-row.ts';

interface DownloadProps {
  botId: string;
  botName: string;
  /** The selected run; null = all. */
  run: number | null;
  runs: readonly number[];
  /** The lines shown. */
  rows: () => LogRow[];
  onClose: () => void;
}

const kinds = ['shown', 'run', 'range', 'all'] as const;

export function DownloadDialog({ botId, botName, run: chosen, runs, rows, onClose }: DownloadProps) {
  const [kind, setKind] = useState<(typeof kinds)[number]>(chosen === null ? 'shown' : 'run');
  const [format, setFormat] = useState<(typeof logFileFormats)[number]>('txt');
  const [run, setRun] = useState(String(chosen ?? runs.at(-1) ?? ''));
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    if (kind === 'shown') {
      const text = format === 'txt' ? rowsAsText(rows()) : rowsAsJsonLines(rows());
      return saveText(`${botName}.${format === 'txt' ? 'log' : 'jsonl'}`, text);
    }
    const parts: Record<Exclude<typeof kind, 'shown'>, LogPart> = { run: { run }, range: { since, until }, all: {} };
    location.assign(downloadAddress(botId, parts[kind], format));
  };
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={t('download.title')}>
      <form className="grid gap-4" onSubmit={save}>
        <Choices legend={t('download.what')} name="what" options={kinds} value={kind} onChange={setKind} />
        {kind === 'run' && (
          <Field label={t('log.run_label')}>
            <Select value={run} onChange={(event) => setRun(event.target.value)}>
              {runs.toReversed().map((each) => (
                <option key={each} value={each}>
                  {t('log.run', { run: each })}
                </option>
              ))}
            </Select>
          </Field>
        )}
        {kind === 'range' && (
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={t('download.since')} hint={t('download.open_end')}>
              <TextInput type="datetime-local" value={since} onChange={(event) => setSince(event.target.value)} />
            </Field>
            <Field label={t('download.until')}>
              <TextInput type="datetime-local" value={until} onChange={(event) => setUntil(event.target.value)} />
            </Field>
          </div>
        )}
        <Choices
          legend={t('download.format')}
          name="format"
          options={logFileFormats}
          value={format}
          onChange={setFormat}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary">
            {t('download.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoicesProps<T extends string> {
  legend: string;
  name: string;
  options: readonly T[];
  value: T;
  onChange: (value: T) => void;
}

function Choices<T extends (typeof kinds)[number] | (typeof logFileFormats)[number]>(props: ChoicesProps<T>) {
  const { legend, name, options, value, onChange } = props;
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {options.map((each) => (
        <label key={each} className="flex min-h-6 items-center gap-2.5 text-sm touch:min-h-11">
          <input
            type="radio"
            name={name}
            className="size-5 accent-accent"
            checked={each === value}
            onChange={() => onChange(each)}
          />
          {t(`download.${each}`)}
        </label>
      ))}
    </fieldset>
  );
}
