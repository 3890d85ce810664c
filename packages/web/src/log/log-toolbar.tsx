// The toolbar above the log: search, filters and the menu.
import { logStreams } from '@botel/contract/vocabulary';
import { ArrowDown, ArrowUp, Ellipsis, Pause, Play, Search, SlidersHorizontal, X } from 'lucide-react';
import { type ReactNode, type RefObject, useState, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { Select } from '../kit/field.tsx';
import { Menu } from '../kit/menu.tsx';
import type { MenuEntry } from '../kit/menu-entry.ts';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import type { LineStore } from './line-store.ts';
import { isFiltered, type LogFilter, runsOf } from './log-filter.ts';
import { logLevels } from './log-level.ts';
import { changeLogSettings, logSettings } from './log-settings.ts';
import { stampModes } from './stamps.ts';
import { hitsIn, type LogSearch } from './use-search.ts';

interface ToolbarProps {
  search: LogSearch;
  searchField: RefObject<HTMLInputElement | null>;
  onMove: (step: 1 | -1) => void;
  onSearchOlder: () => void;
  /** Returns the focus to the lines. */
  onLeave: () => void;
  filter: LogFilter;
  setFilter: (filter: LogFilter) => void;
  store: LineStore;
  isPaused: boolean;
  togglePause: () => void;
  entries: MenuEntry[];
}

export function LogToolbar(props: ToolbarProps) {
  const [isOpen, setOpen] = useState(false);
  const { filter, isPaused } = props;
  return (
    <div className="border-b border-line p-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <SearchField {...props} />
        <div className="ms-auto flex gap-1">
          <IconButton
            label={t('log.filters')}
            aria-expanded={isOpen}
            className={classes((isOpen || isFiltered(filter)) && 'bg-accent-soft!')}
            onClick={() => setOpen(!isOpen)}
          >
            <SlidersHorizontal className="size-4" aria-hidden />
          </IconButton>
          <IconButton label={isPaused ? t('log.continue') : t('log.pause')} onClick={props.togglePause}>
            {isPaused ? <Play className="size-4" aria-hidden /> : <Pause className="size-4" aria-hidden />}
          </IconButton>
          <Menu
            trigger={
              <IconButton label={t('log.more')} data-tip-side="end">
                <Ellipsis className="size-4" aria-hidden />
              </IconButton>
            }
            entries={props.entries}
          />
        </div>
      </div>
      {isOpen && <Filters {...props} />}
    </div>
  );
}

function SearchField({ search, searchField, onLeave, ...rest }: ToolbarProps) {
  const { text } = search;
  const { onMove } = rest;
  return (
    <div role="search" className="flex min-w-0 flex-[1_1_8rem] flex-wrap items-center gap-1.5">
      <div className="relative min-w-0 flex-[1_1_9rem] sm:max-w-72">
        <Search className="pointer-events-none absolute inset-y-0 start-2.5 my-auto size-4 text-muted" aria-hidden />
        <input
          ref={searchField}
          type="text"
          aria-label={t('log.search')}
          placeholder={t('log.search')}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => search.setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onMove(event.shiftKey ? -1 : 1);
            if (event.key !== 'Escape') return;
            search.setText('');
            onLeave();
          }}
          className="h-9 w-full rounded-lg bg-surface ps-8 pe-2 text-base ring-1 ring-edge ring-inset focus-visible:outline-offset-0 sm:text-sm touch:min-h-11"
        />
      </div>
      {text !== '' && <Hits search={search} {...rest} />}
    </div>
  );
}

/** Updates while lines arrive. */
function Hits({ search, store, filter, onMove, onSearchOlder }: Omit<ToolbarProps, 'searchField' | 'onLeave'>) {
  const { chunks } = useSyncExternalStore(store.subscribe, store.snapshot);
  const seqs = [...hitsIn(chunks, filter, search.text).values()].flat();
  const count = seqs.length;
  const position = search.current === null ? 0 : seqs.indexOf(search.current) + 1;
  const why = count > 0 ? null : t('log.found_none');
  return (
    <>
      <span className="text-sm text-muted tabular-nums" aria-live="polite">
        {count === 0 ? t('log.found_none') : t('log.found', { position, count })}
      </span>
      <div className="flex">
        <IconButton size="small" label={t('log.previous')} onClick={() => onMove(-1)} why={why}>
          <ArrowUp className="size-4" aria-hidden />
        </IconButton>
        <IconButton size="small" label={t('log.next')} onClick={() => onMove(1)} why={why}>
          <ArrowDown className="size-4" aria-hidden />
        </IconButton>
        <IconButton size="small" label={t('log.search_clear')} onClick={() => search.setText('')}>
          <X className="size-4" aria-hidden />
        </IconButton>
      </div>
      <Button size="small" onClick={onSearchOlder}>
        {t('log.search_older')}
      </Button>
    </>
  );
}

function Filters({ filter, setFilter, store }: ToolbarProps) {
  const { chunks } = useSyncExternalStore(store.subscribe, store.snapshot);
  const settings = useSyncExternalStore(logSettings.subscribe, logSettings.get);
  return (
    <div className="mt-2 flex flex-wrap items-end gap-2">
      <Choice
        label={t('log.stream')}
        value={filter.stream ?? ''}
        onChange={(value) => setFilter({ ...filter, stream: logStreams.find((each) => each === value) ?? null })}
        options={logStreams.map((each) => [each, t(`log.stream_${each}`)])}
      />
      <Choice
        label={t('log.level')}
        value={filter.level ?? ''}
        onChange={(value) => setFilter({ ...filter, level: logLevels.find((each) => each === value) ?? null })}
        options={logLevels.map((each) => [each, t(`log.level_${each}`)])}
      />
      <Choice
        label={t('log.run_label')}
        value={filter.run === null ? '' : String(filter.run)}
        onChange={(value) => setFilter({ ...filter, run: value === '' ? null : Number(value) })}
        options={runsOf(chunks).map((run) => [String(run), t('log.run', { run })])}
      />
      <label className="grid gap-1 text-xs text-muted">
        {t('log.stamps')}
        <Select
          className="h-9! py-0 text-sm"
          value={settings.stamps}
          onChange={(event) => {
            const stamps = stampModes.find((mode) => mode === event.target.value);
            if (stamps) changeLogSettings({ stamps });
          }}
        >
          {stampModes.map((mode) => (
            <option key={mode} value={mode}>
              {t(`log.stamps_${mode}`)}
            </option>
          ))}
        </Select>
      </label>
      <label className="flex min-h-9 items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-5 accent-accent"
          checked={settings.wraps}
          onChange={(event) => changeLogSettings({ wraps: event.target.checked })}
        />
        {t('log.wrap')}
      </label>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: [value: string, text: string][];
}

function Choice({ label, value, onChange, options }: ChoiceProps): ReactNode {
  return (
    <label className="grid gap-1 text-xs text-muted">
      {label}
      <Select className="h-9! py-0 text-sm" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t('log.all')}</option>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </Select>
    </label>
  );
}
