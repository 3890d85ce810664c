// The folders and files of a bot as a tree, loaded as folders open. Keyboard use as in any ARIA
// tree; focus and open folders outlive the page.
import { ChevronRight, File, FileSymlink, Folder as FolderIcon, FolderOpen } from 'lucide-react';
import {
  createContext,
  type FocusEvent,
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  use,
  useDeferredValue,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { joinPath } from './file-kinds.ts';
import type { FileEntry } from './files-api.ts';
import { useFolder } from './folder-view.ts';
import { moveFor, rowTyped, type TreeRow } from './tree-keys.ts';
import type { TreeState } from './tree-state.ts';

/** Letters typed faster than this form one word. */
const wordMs = 700;
/** Deeper levels aren't indented further. */
const deepest = 8;

interface TreeProps {
  botId: string;
  state: TreeState;
  /** The folder shown beside the tree, or the open file's folder. */
  folder: string;
  /** The open file. */
  shown: string | undefined;
  onFolder: (path: string) => void;
  onFile: (path: string) => void;
}

type Place = Pick<TreeProps, 'botId' | 'state' | 'folder' | 'shown'>;

const PlaceContext = createContext<Place | null>(null);

function usePlace(): Place {
  const place = use(PlaceContext);
  if (!place) throw new Error('A row of the tree is used outside of it');
  return place;
}

export function FileTree({ botId, state, folder, shown, onFolder, onFile }: TreeProps) {
  const box = useRef<HTMLUListElement>(null);
  const typed = useRef({ text: '', at: 0 });
  // Also on return to the page: reveals what a link opened.
  useEffect(() => state.reveal(shown ?? folder), [state, shown, folder]);
  const choose = (row: HTMLElement, event: MouseEvent) => {
    const { path = '', kind } = row.dataset;
    state.active.set(path);
    if (kind === 'file') onFile(path);
    if (kind !== 'folder') return;
    const turns = (event.target as Element).closest('[data-turn]') !== null;
    state.turn(path, turns ? row.getAttribute('aria-expanded') !== 'true' : true);
    if (!turns) onFolder(path);
  };
  /** Tab enters the tree, which forwards focus to a row; Shift+Tab then leaves it. */
  const enter = ({ target, currentTarget: tree }: FocusEvent<HTMLElement>) => {
    tree.tabIndex = -1;
    if (target !== tree) return;
    const row = (path: string) => tree.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`);
    (row(state.active.get()) ?? row(shown ?? folder) ?? row(''))?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const elements = [...(box.current?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])];
    const at = elements.indexOf((event.target as Element).closest<HTMLElement>('[role=treeitem]')!);
    const row = elements[at];
    if (!row) return;
    const rows = elements.map(rowOf);
    const goTo = (to: number) => {
      state.active.set(elements[to]?.dataset.path ?? '');
      elements[to]?.focus();
    };
    const move = moveFor(rows, at, event.key);
    if (move?.kind === 'go') goTo(move.to);
    else if (move?.kind === 'choose') row.click();
    else if (move) state.turn(row.dataset.path ?? '', move.kind === 'open');
    else if (event.key.length === 1) {
      const isSameWord = event.timeStamp - typed.current.at < wordMs;
      typed.current = { text: (isSameWord ? typed.current.text : '') + event.key, at: event.timeStamp };
      const found = rowTyped(rows, at, typed.current.text);
      if (found >= 0) goTo(found);
    } else return;
    event.preventDefault();
    // Single letters are shortcuts elsewhere on the page.
    event.stopPropagation();
  };
  return (
    <PlaceContext value={{ botId, state, folder, shown }}>
      <ul
        ref={box}
        role="tree"
        tabIndex={0}
        aria-label={t('files.tree')}
        className="min-h-0 overflow-y-auto overscroll-contain p-1.5 text-sm"
        onKeyDown={press}
        onFocus={enter}
        onBlur={({ currentTarget }) => (currentTarget.tabIndex = 0)}
        onClick={(event) => {
          const row = (event.target as Element).closest<HTMLElement>('[role=treeitem]');
          if (row) choose(row, event);
        }}
      >
        <FolderRow path="" name={t('files.home')} level={1} />
      </ul>
    </PlaceContext>
  );
}

function rowOf(element: HTMLElement): TreeRow {
  const expanded = element.getAttribute('aria-expanded');
  return {
    name: element.getAttribute('aria-label') ?? '',
    level: Number(element.getAttribute('aria-level')),
    isOpen: expanded === null ? null : expanded === 'true',
  };
}

interface RowProps {
  path: string;
  name: string;
  level: number;
}

const FolderRow = memo(function FolderRow({ path, name, level }: RowProps) {
  const { state, folder, shown } = usePlace();
  const isOpen = useSyncExternalStore(state.open.subscribe, () => state.open.get().has(path));
  const isCurrent = folder === path;
  const Icon = isOpen ? FolderOpen : FolderIcon;
  return (
    <>
      <Row
        path={path}
        kind="folder"
        level={level}
        label={name}
        isOpen={isOpen}
        isShown={isCurrent && shown === undefined}
        isCurrent={isCurrent}
        icon={<Icon className="size-4 shrink-0 text-brass" aria-hidden />}
      />
      {isOpen && <Branch path={path} level={level + 1} />}
    </>
  );
});

const FileRow = memo(function FileRow({ path, name, level, type }: RowProps & { type: FileEntry['type'] }) {
  const { shown } = usePlace();
  const Icon = type === 'file' ? File : FileSymlink;
  return (
    <Row
      path={path}
      kind={type}
      level={level}
      label={name}
      isShown={shown === path}
      icon={<Icon className="size-4 shrink-0 text-muted" aria-hidden />}
    />
  );
});

/** The contents of an open folder. All rows are siblings; `aria-level` gives the hierarchy. */
function Branch({ path, level }: { path: string; level: number }) {
  const { botId } = usePlace();
  const { entries, error, retry, more } = useFolder(botId, path);
  const rows = useDeferredValue(entries, null);
  // No file can have this name.
  const own = `${path}/`;
  return (
    <>
      {rows?.map(({ name, type }) =>
        type === 'directory' ? (
          <FolderRow key={name} path={joinPath(path, name)} name={name} level={level} />
        ) : (
          <FileRow key={name} path={joinPath(path, name)} name={name} level={level} type={type} />
        ),
      )}
      {entries === null && error === null && <Row path={own} level={level} label={t('state.loading')} />}
      {error !== null && <Row path={own} level={level} label={t('files.tree_failed')} act={retry} />}
      {error === null && more && <Row path={own} level={level} label={t('files.more')} act={more} />}
    </>
  );
}

interface FaceProps {
  path: string;
  kind?: string;
  level: number;
  label: string;
  icon?: ReactNode;
  /** Of folders. */
  isOpen?: boolean;
  /** It is shown beside the tree. */
  isShown?: boolean;
  /** It is the current folder. */
  isCurrent?: boolean;
  /** What a row does that is neither a folder nor a file. */
  act?: () => void;
}

function Row({ path, kind, level, label, icon, isOpen, isShown = false, isCurrent = false, act }: FaceProps) {
  const row = useRef<HTMLLIElement>(null);
  const isMarked = isShown || isCurrent;
  useEffect(() => {
    if (isMarked && row.current) keepSeen(row.current);
  }, [isMarked]);
  return (
    // The tree handles the keys of all rows and clicks.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <li
      ref={row}
      role="treeitem"
      aria-label={label}
      aria-level={level}
      aria-expanded={isOpen}
      aria-selected={isShown}
      aria-current={isCurrent ? 'location' : undefined}
      aria-disabled={kind === 'link' || kind === 'other' || undefined}
      data-path={path}
      data-kind={kind}
      tabIndex={-1}
      onClick={act}
      style={{ paddingInlineStart: `${0.375 + Math.min(level - 1, deepest) * 0.75}rem` }}
      className={classes(
        'flex min-h-7 cursor-pointer [content-visibility:auto] [contain-intrinsic-height:auto_1.75rem] items-center gap-1.5 rounded-md pe-2 hover:bg-sunken focus-visible:-outline-offset-2 touch:min-h-11',
        isShown && 'bg-accent-soft hover:bg-accent-soft',
        isMarked && 'font-medium',
        kind === undefined && (act ? 'text-accent underline' : 'text-muted'),
      )}
    >
      {isOpen === undefined ? (
        <span className="-ms-1 w-6 shrink-0 touch:w-9" />
      ) : (
        <span data-turn className="-ms-1 grid size-6 shrink-0 place-items-center rounded hover:bg-line touch:size-9">
          <ChevronRight className={classes('size-3.5 text-muted', isOpen && 'rotate-90')} aria-hidden />
        </span>
      )}
      {icon}
      <span className="truncate">{label}</span>
    </li>
  );
}

/** Scrolls the tree only. */
function keepSeen(row: HTMLElement): void {
  const tree = row.closest('[role=tree]');
  if (!tree) return;
  const [at, box] = [row.getBoundingClientRect(), tree.getBoundingClientRect()];
  if (at.top < box.top || at.bottom > box.bottom) tree.scrollTop += at.top - box.top - box.height / 3;
}
