// The contents of a folder, with breadcrumbs and actions.
import { ChevronRight, FilePlus, FolderPlus, Trash2, Upload } from 'lucide-react';
import { type ComponentProps, useRef, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { Menu } from '../kit/menu.tsx';
import { Empty, ErrorCard, Skeleton } from '../kit/states.tsx';
import { toastSuccess, withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import type { Drop } from './drop-filter.ts';
import { FileList, type ListActions } from './file-list.tsx';
import { folderOf, joinPath } from './file-kinds.ts';
import { downloadAddress, makeFolder, moveFile, writeFile } from './files-api.ts';
import { readFoldersAgain, useFolder } from './folder-view.ts';
import { NameDialog } from './name-dialog.tsx';
import { openFilesOf } from './open-files.ts';
import { readChosen } from './read-drop.ts';
import { treeStateOf } from './tree-state.ts';
import { deleteWithUndo, finishDeletes } from './undo-delete.ts';

interface PaneProps {
  botId: string;
  path: string;
  onFolder: (path: string) => void;
  onOpen: (path: string) => void;
  onUpload: (drop: Promise<Drop>, unpacks: boolean) => void;
}

type Asking =
  | { kind: 'file' }
  | { kind: 'folder' }
  | { kind: 'rename'; name: string }
  | { kind: 'move'; names: string[] };

export function FolderPane({ botId, path, onFolder, onOpen, onUpload }: PaneProps) {
  const { entries, count, error, retry, more } = useFolder(botId, path);
  const [chosen, setChosen] = useState<{ path: string; names: ReadonlySet<string> }>({ path, names: new Set() });
  const [asking, setAsking] = useState<Asking | null>(null);
  // Drops selected names that aren't in this folder.
  const selected = new Set(
    chosen.path === path ? entries?.filter(({ name }) => chosen.names.has(name)).map(({ name }) => name) : [],
  );
  const select = (names: ReadonlySet<string>) => setChosen({ path, names });
  const remove = (names: string[]) => {
    const paths = names.map((name) => joinPath(path, name));
    if (paths.length > 0) deleteWithUndo(botId, paths, () => void readFoldersAgain(botId));
    select(new Set());
  };
  const actions: ListActions = {
    open: ({ name, type }) => (type === 'directory' ? onFolder : onOpen)(joinPath(path, name)),
    rename: ({ name }) => setAsking({ kind: 'rename', name }),
    move: (names) => setAsking({ kind: 'move', names }),
    download: ({ name }) => location.assign(downloadAddress(botId, joinPath(path, name))),
    remove,
    up: () => path !== '' && onFolder(folderOf(path)),
  };
  return (
    <section aria-label={t('files.label')} className="rounded-card bg-surface pb-1 shadow-card">
      <div className="flex flex-wrap items-center gap-2 p-2.5">
        <Crumbs path={path} onFolder={onFolder} />
        <div className="ms-auto flex gap-1">
          <IconButton label={t('files.new_file')} onClick={() => setAsking({ kind: 'file' })}>
            <FilePlus className="size-4" aria-hidden />
          </IconButton>
          <IconButton label={t('files.new_folder')} onClick={() => setAsking({ kind: 'folder' })}>
            <FolderPlus className="size-4" aria-hidden />
          </IconButton>
          <UploadMenu botId={botId} path={path} onUpload={onUpload} />
        </div>
      </div>
      {selected.size > 0 && (
        <div className="flex flex-wrap items-center gap-2 border-t border-line bg-sunken px-3 py-1.5 text-sm">
          <span role="status" className="me-auto">
            {t('files.selected', { count: selected.size })}
          </span>
          <Button size="small" onClick={() => setAsking({ kind: 'move', names: [...selected] })}>
            {t('files.move')}
          </Button>
          <Button size="small" icon={<Trash2 className="size-4" aria-hidden />} onClick={() => remove([...selected])}>
            {t('files.delete')}
          </Button>
        </div>
      )}
      {error !== null && (
        <div className="p-3">
          <ErrorCard error={error} retry={retry} />
        </div>
      )}
      {entries === null && error === null && (
        <div className="p-3">
          <Skeleton rows={5} height="2rem" />
        </div>
      )}
      {entries?.length === 0 && <Empty title={t('files.empty')} />}
      {entries && entries.length > 0 && (
        <FileList entries={entries} selected={selected} setSelected={select} actions={actions} />
      )}
      {entries && (
        <div className="flex min-h-9 items-center gap-3 border-t border-line px-3 py-1 text-xs text-muted">
          {t('files.shown', { count })}
          {more && (
            <Button size="small" onClick={more}>
              {t('files.more')}
            </Button>
          )}
        </div>
      )}
      {asking && <Ask asking={asking} botId={botId} path={path} onOpen={onOpen} onClose={() => setAsking(null)} />}
    </section>
  );
}

function Crumbs({ path, onFolder }: { path: string; onFolder: (path: string) => void }) {
  const parts = path === '' ? [] : path.split('/');
  return (
    <nav aria-label={t('files.path')} className="flex min-w-0 flex-wrap items-center text-sm">
      {[t('files.home'), ...parts].map((name, index) => (
        <span key={index} className="flex items-center">
          {index > 0 && <ChevronRight className="size-3.5 text-muted" aria-hidden />}
          <button
            type="button"
            aria-current={index === parts.length ? 'page' : undefined}
            onClick={() => onFolder(parts.slice(0, index).join('/'))}
            className="min-h-8 rounded-md px-1.5 [overflow-wrap:anywhere] hover:bg-sunken aria-[current]:font-semibold touch:min-h-11"
          >
            {name}
          </button>
        </span>
      ))}
    </nav>
  );
}

function UploadMenu({ botId, path, onUpload }: Pick<PaneProps, 'botId' | 'path' | 'onUpload'>) {
  const filesField = useRef<HTMLInputElement>(null);
  const folderField = useRef<HTMLInputElement>(null);
  const zipField = useRef<HTMLInputElement>(null);
  const chosen = (unpacks: boolean): ComponentProps<'input'>['onChange'] => {
    return ({ currentTarget: field }) => {
      const { files } = field;
      if (files && files.length > 0) onUpload(Promise.try(readChosen, files), unpacks);
      // Cleared, so that the same file can be chosen again.
      field.value = '';
    };
  };
  return (
    <>
      <Menu
        trigger={
          <Button icon={<Upload className="size-4" aria-hidden />} variant="primary">
            {t('files.upload')}
          </Button>
        }
        entries={[
          { label: t('files.upload_files'), act: () => filesField.current?.click() },
          { label: t('files.upload_folder'), act: () => folderField.current?.click() },
          { label: t('files.upload_zip'), act: () => zipField.current?.click() },
          { label: t('files.download_all'), act: () => location.assign(downloadAddress(botId, path)) },
        ]}
      />
      <input
        ref={filesField}
        type="file"
        multiple
        hidden
        aria-label={t('files.upload_files')}
        onChange={chosen(false)}
      />
      <input
        ref={folderField}
        type="file"
        {...{ webkitdirectory: '' }}
        hidden
        aria-label={t('files.upload_folder')}
        onChange={chosen(false)}
      />
      <input
        ref={zipField}
        type="file"
        accept=".zip"
        hidden
        aria-label={t('files.upload_zip')}
        onChange={chosen(true)}
      />
    </>
  );
}

interface AskProps {
  asking: Asking;
  botId: string;
  path: string;
  onOpen: (path: string) => void;
  onClose: () => void;
}

function Ask({ asking, botId, path, onOpen, onClose }: AskProps) {
  /** A name that is being deleted becomes free once that is done. */
  const change = (work: () => Promise<void>) =>
    withToast(async () => {
      await finishDeletes();
      await work();
      await readFoldersAgain(botId);
    });
  const move = async (from: string, to: string) => {
    await moveFile(botId, from, to);
    openFilesOf(botId).moved(from, to);
    treeStateOf(botId).moved(from, to);
  };
  const makers = {
    file: (name: string) =>
      change(async () => {
        await writeFile(botId, joinPath(path, name), '', null);
        onOpen(joinPath(path, name));
      }),
    folder: (name: string) => change(async () => void (await makeFolder(botId, joinPath(path, name)))),
  };
  if (asking.kind === 'file' || asking.kind === 'folder')
    return (
      <NameDialog
        title={t(asking.kind === 'file' ? 'files.new_file' : 'files.new_folder')}
        verb={t('files.make')}
        initial=""
        onDone={makers[asking.kind]}
        onClose={onClose}
      />
    );
  if (asking.kind === 'rename')
    return (
      <NameDialog
        title={t('files.rename')}
        verb={t('files.rename')}
        initial={asking.name}
        onDone={(name) =>
          change(async () => {
            if (name !== asking.name) await move(joinPath(path, asking.name), joinPath(path, name));
            toastSuccess(t('files.renamed', { name }));
          })
        }
        onClose={onClose}
      />
    );
  return (
    <NameDialog
      title={t('files.move')}
      verb={t('files.move')}
      initial={path}
      isFolder
      onDone={(folder) =>
        change(async () => {
          for (const name of asking.names) await move(joinPath(path, name), joinPath(folder, name));
          toastSuccess(t('files.moved', { count: asking.names.length }));
        })
      }
      onClose={onClose}
    />
  );
}
