// The entries of a folder: opens, selects, renames, moves, deletes. Every row is reached with the arrow keys; F2 renames, Delete
// deletes, Enter opens.
import { EllipsisVertical, File, FileSymlink, Folder as FolderIcon } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { IconButton } from '../kit/button.tsx';
import { Menu } from '../kit/menu.tsx';
import { Ago } from '../kit/time.tsx';
import { formatBytes } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import type { FileEntry } from './files-api.ts';

export interface ListActions {
  open: (entry: FileEntry) => void;
  rename: (entry: FileEntry) => void;
  move: (names: string[]) => void;
  download: (entry: FileEntry) => void;
  remove: (names: string[]) => void;
  up: () => void;
}

interface ListProps {
  entries: FileEntry[];
  selected: ReadonlySet<string>;
  setSelected: (names: ReadonlySet<string>) => void;
  actions: ListActions;
}

export function FileList({ entries, selected, setSelected, actions }: ListProps) {
  const toggle = (name: string) => {
    const next = new Set(selected);
    if (!next.delete(name)) next.add(name);
    setSelected(next);
  };
  const press = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const row = (event.target as Element).closest('tr');
    const entry = entries.find((each) => each.name === row?.dataset.name);
    if (!row || !entry || event.ctrlKey || event.metaKey || event.altKey) return;
    const focus = (other: Element | null) => other?.querySelector<HTMLElement>('[data-open]')?.focus();
    if (event.key === 'ArrowDown') focus(row.nextElementSibling);
    else if (event.key === 'ArrowUp') focus(row.previousElementSibling);
    else if (event.key === 'Home') focus(row.parentElement?.firstElementChild ?? null);
    else if (event.key === 'End') focus(row.parentElement?.lastElementChild ?? null);
    else if (event.key === 'Backspace') actions.up();
    else if (event.key === 'F2') actions.rename(entry);
    else if (event.key === 'Delete') actions.remove(selected.has(entry.name) ? [...selected] : [entry.name]);
    else return;
    event.preventDefault();
  };
  return (
    <table className="w-full text-sm">
      <thead className="text-left text-xs text-muted">
        <tr>
          <th className="w-9 py-1 ps-3">
            <input
              type="checkbox"
              className="block size-5 accent-accent"
              aria-label={t('files.select_all')}
              checked={entries.length > 0 && selected.size === entries.length}
              onChange={(event) => setSelected(new Set(event.target.checked ? entries.map((entry) => entry.name) : []))}
            />
          </th>
          <th className="py-1 font-medium">{t('files.col_name')}</th>
          <th className="px-2 py-1 text-end font-medium">{t('files.col_size')}</th>
          <th className="px-2 py-1 font-medium max-sm:hidden">{t('files.col_changed')}</th>
          <th className="w-10">
            <span className="sr-only">{t('action.more')}</span>
          </th>
        </tr>
      </thead>
      {/* Keys of the controls inside come up to here. */}
      <tbody onKeyDown={press}>
        {entries.map((entry) => (
          <Row
            key={entry.name}
            entry={entry}
            isSelected={selected.has(entry.name)}
            toggle={() => toggle(entry.name)}
            actions={actions}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  entry: FileEntry;
  isSelected: boolean;
  toggle: () => void;
  actions: ListActions;
}

function Row({ entry, isSelected, toggle, actions }: RowProps) {
  const { name, type } = entry;
  const Icon = type === 'directory' ? FolderIcon : type === 'file' ? File : FileSymlink;
  const isOpenable = type === 'file' || type === 'directory';
  return (
    <tr data-name={name} className="border-t border-line">
      <td className="ps-3">
        <input
          type="checkbox"
          className="block size-5 accent-accent"
          aria-label={t('files.select', { name })}
          checked={isSelected}
          onChange={toggle}
        />
      </td>
      <td className="min-w-0">
        <button
          type="button"
          data-open
          onClick={() => isOpenable && actions.open(entry)}
          aria-label={type === 'directory' ? t('files.folder', { name }) : undefined}
          className="flex min-h-9 w-full items-center gap-2 text-start touch:min-h-11"
        >
          <Icon
            className={type === 'directory' ? 'size-4 shrink-0 text-brass' : 'size-4 shrink-0 text-muted'}
            aria-hidden
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
        </button>
      </td>
      <td className="px-2 text-end whitespace-nowrap text-muted tabular-nums">
        {type === 'file' ? formatBytes(entry.size_bytes, shownLanguage.get()) : ''}
      </td>
      <td className="px-2 whitespace-nowrap text-muted max-sm:hidden">
        <Ago at={entry.modified_at} />
      </td>
      <td>
        <Menu
          trigger={
            <IconButton size="small" label={t('files.actions_of', { name })} data-tip-side="end">
              <EllipsisVertical className="size-4" aria-hidden />
            </IconButton>
          }
          entries={[
            ...(isOpenable ? [{ label: t('files.open'), act: () => actions.open(entry) }] : []),
            { label: t('files.rename'), act: () => actions.rename(entry) },
            { label: t('files.move'), act: () => actions.move([name]) },
            ...(isOpenable ? [{ label: t('files.download'), act: () => actions.download(entry) }] : []),
            { label: t('files.delete'), isGrave: true, act: () => actions.remove([name]) },
          ]}
        />
      </td>
    </tr>
  );
}
