// The entries of a folder: open, select, rename, move, delete. Arrow keys reach every row; F2
// renames, Delete deletes, Enter opens, Shift selects a range. A row re-renders only when it
// changes.
import { EllipsisVertical, File, FileSymlink, Folder as FolderIcon } from 'lucide-react';
import {
  type ComponentProps,
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  useDeferredValue,
  useRef,
  useState,
} from 'react';
import { DropMenu } from '../kit/drop-menu.tsx';
import { Ago } from '../kit/time.tsx';
import { classes } from '../lib/classes.ts';
import { formatBytes } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import type { FileEntry } from './files-api.ts';
import { selectRow } from './select-rows.ts';

/** For the header and every row. */
const columns =
  'grid items-center grid-cols-[2.75rem_minmax(0,1fr)_5rem_2.5rem] sm:grid-cols-[2.75rem_minmax(0,1fr)_5rem_8rem_2.5rem] ' +
  'touch:grid-cols-[2.75rem_minmax(0,1fr)_4.5rem_3rem] touch:sm:grid-cols-[2.75rem_minmax(0,1fr)_5rem_8rem_3rem]';

export interface ListActions {
  open: (entry: FileEntry) => void;
  rename: (entry: FileEntry) => void;
  move: (names: string[]) => void;
  download: (entry: FileEntry) => void;
  remove: (names: string[]) => void;
  up: () => void;
}

const none: FileEntry[] = [];

interface ListProps {
  entries: FileEntry[];
  selected: ReadonlySet<string>;
  setSelected: (names: ReadonlySet<string>) => void;
  actions: ListActions;
}

export function FileList({ entries: all, selected, setSelected, actions }: ListProps) {
  /** The row with the menu: only the last one requested is mounted. */
  const [menuOf, setMenuOf] = useState<string | null>(null);
  const lastChosen = useRef<string | null>(null);
  // Deferred, so that the page stays responsive with many rows.
  const entries = useDeferredValue(all, none);
  const chooseAll = () => setSelected(new Set(all.map((entry) => entry.name)));
  const rowAt = (target: EventTarget) => {
    const row = (target as Element).closest<HTMLElement>('[data-name]');
    return { row, entry: entries.find((each) => each.name === row?.dataset.name) };
  };
  const press = (event: KeyboardEvent) => {
    const { row, entry } = rowAt(event.target);
    if (!row || !entry || event.altKey) return;
    const focus = (other: Element | null) => other?.querySelector<HTMLElement>('[data-open]')?.focus();
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== 'a') return;
      chooseAll();
    } else if (event.key === 'ArrowDown') focus(row.nextElementSibling);
    else if (event.key === 'ArrowUp') focus(row.previousElementSibling);
    else if (event.key === 'Home') focus(row.parentElement?.firstElementChild ?? null);
    else if (event.key === 'End') focus(row.parentElement?.lastElementChild ?? null);
    else if (event.key === 'Backspace') actions.up();
    else if (event.key === 'F2') actions.rename(entry);
    else if (event.key === 'Delete') actions.remove(selected.has(entry.name) ? [...selected] : [entry.name]);
    else return;
    event.preventDefault();
  };
  const click = ({ target, shiftKey }: MouseEvent) => {
    const { entry } = rowAt(target);
    const on = (part: string) => (target as Element).closest(part) !== null;
    if (!entry) return;
    if (on('[data-open]') && isOpenable(entry)) actions.open(entry);
    if (on('[data-menu]')) setMenuOf(entry.name);
    if (!on('[data-select]')) return;
    const names = entries.map(({ name }) => name);
    setSelected(selectRow(names, selected, { name: entry.name, from: shiftKey ? lastChosen.current : null }));
    lastChosen.current = entry.name;
  };
  return (
    <div role="table" aria-label={t('files.label')} aria-rowcount={all.length + 1} className="text-sm">
      <div role="rowgroup" className="text-xs font-medium text-muted">
        <div role="row" className={classes(columns, 'py-1')}>
          <span role="columnheader" className="ps-3">
            <input
              type="checkbox"
              className="block size-5 accent-accent"
              aria-label={t('files.select_all')}
              checked={all.length > 0 && selected.size === all.length}
              onChange={(event) => (event.target.checked ? chooseAll() : setSelected(new Set()))}
            />
          </span>
          <span role="columnheader">{t('files.col_name')}</span>
          <span role="columnheader" className="px-2 text-end">
            {t('files.col_size')}
          </span>
          <span role="columnheader" className="px-2 max-sm:hidden">
            {t('files.col_changed')}
          </span>
          <span role="columnheader" className="sr-only">
            {t('action.more')}
          </span>
        </div>
      </div>
      {/* Keys and clicks of the controls inside come up to here. */}
      <div role="rowgroup" onKeyDown={press} onClick={click}>
        {entries.map((entry) => (
          <Row
            key={entry.name}
            entry={entry}
            isSelected={selected.has(entry.name)}
            menu={entry.name === menuOf ? <RowMenu entry={entry} actions={actions} /> : null}
          />
        ))}
      </div>
    </div>
  );
}

function isOpenable({ type }: FileEntry): boolean {
  return type === 'file' || type === 'directory';
}

interface RowProps {
  entry: FileEntry;
  isSelected: boolean;
  /** null = the button suffices. */
  menu: ReactNode;
}

const Row = memo(function Row({ entry, isSelected, menu }: RowProps) {
  const { name, type } = entry;
  const Icon = type === 'directory' ? FolderIcon : type === 'file' ? File : FileSymlink;
  return (
    <div
      role="row"
      data-name={name}
      className={classes(
        columns,
        // Off-screen rows cost nothing: a folder may have thousands.
        'min-h-9 border-t border-line [content-visibility:auto] [contain-intrinsic-height:auto_2.3rem] hover:bg-sunken/60 touch:min-h-11',
      )}
    >
      <span role="cell" className="ps-3">
        <input
          type="checkbox"
          data-select
          className="block size-5 accent-accent"
          aria-label={t('files.select', { name })}
          checked={isSelected}
          readOnly
        />
      </span>
      <span role="cell">
        <button
          type="button"
          data-open
          aria-label={type === 'directory' ? t('files.folder', { name }) : undefined}
          className="flex min-h-9 w-full items-center gap-2 rounded-md text-start -outline-offset-2! touch:min-h-11"
        >
          <Icon
            className={type === 'directory' ? 'size-4 shrink-0 text-brass' : 'size-4 shrink-0 text-muted'}
            aria-hidden
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
        </button>
      </span>
      <span role="cell" className="px-2 text-end whitespace-nowrap text-muted tabular-nums">
        {type === 'file' ? formatBytes(entry.size_bytes, shownLanguage.get()) : ''}
      </span>
      <span role="cell" className="px-2 whitespace-nowrap text-muted max-sm:hidden">
        <Ago at={entry.modified_at} />
      </span>
      <span role="cell">{menu ?? <MenuButton name={name} data-menu aria-haspopup="menu" />}</span>
    </div>
  );
});

/** A native tooltip: a row clips its overflow. */
function MenuButton({ name, ...rest }: ComponentProps<'button'> & { name: string; 'data-menu'?: boolean }) {
  const label = t('files.actions_of', { name });
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="grid size-8 place-items-center rounded-lg -outline-offset-2! hover:bg-line touch:size-11"
      {...rest}
    >
      <EllipsisVertical className="size-4" aria-hidden />
    </button>
  );
}

function RowMenu({ entry, actions }: { entry: FileEntry; actions: ListActions }) {
  const { name } = entry;
  return (
    <DropMenu
      trigger={<MenuButton name={name} />}
      entries={[
        ...(isOpenable(entry) ? [{ label: t('files.open'), act: () => actions.open(entry) }] : []),
        { label: t('files.rename'), act: () => actions.rename(entry) },
        { label: t('files.move'), act: () => actions.move([name]) },
        ...(isOpenable(entry) ? [{ label: t('files.download'), act: () => actions.download(entry) }] : []),
        { label: t('files.delete'), isGrave: true, act: () => actions.remove([name]) },
      ]}
    />
  );
}
