// The tabs above list and editor: the folder first, then the open files.
import { File, FolderOpen, Image, X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { IconButton } from '../kit/button.tsx';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { imageTypeOf, nameOf } from './file-kinds.ts';
import type { OpenFile } from './open-file.ts';
import type { OpenFiles, Tab } from './open-files.ts';

interface StripProps {
  files: OpenFiles;
  tabs: readonly Tab[];
  /** The folder of the list. */
  folder: string;
  /** The file that is shown; undefined = the list is. */
  shown: string | undefined;
  onShow: (path: string) => void;
  onList: () => void;
}

export function TabStrip({ files, tabs, folder, shown, onShow, onList }: StripProps) {
  const close = (path: string) => {
    const tab = tabs.find((each) => each.path === path);
    const isDirty = tab?.kind === 'text' && tab.file.isDirty.get();
    if (isDirty && !confirm(t('files.close_dirty', { name: nameOf(path) }))) return;
    files.close(path);
    if (path !== shown) return;
    const next = tabs.findLast((each) => each.path !== path);
    if (next) onShow(next.path);
    else onList();
  };
  return (
    <div
      role="group"
      aria-label={t('files.open_files')}
      className="mb-2 flex gap-1 overflow-x-auto rounded-card bg-surface p-1 shadow-card"
    >
      <Head
        isShown={shown === undefined}
        onShow={onList}
        label={t('files.list_of', { folder: nameOf(folder) || t('files.home') })}
      >
        <FolderOpen className="size-4 shrink-0 text-brass" aria-hidden />
        {nameOf(folder) || t('files.home')}
      </Head>
      {tabs.map((tab) => (
        <Head
          key={tab.path}
          isShown={tab.path === shown}
          title={tab.path}
          onShow={() => onShow(tab.path)}
          onClose={() => close(tab.path)}
        >
          {imageTypeOf(tab.path) ? (
            <Image className="size-4 shrink-0 text-muted" aria-hidden />
          ) : (
            <File className="size-4 shrink-0 text-muted" aria-hidden />
          )}
          {nameOf(tab.path)}
          {tab.kind === 'text' && <DirtyMark file={tab.file} />}
        </Head>
      ))}
    </div>
  );
}

interface HeadProps {
  isShown: boolean;
  /** For screen readers, where the visible text isn't enough. */
  label?: string;
  title?: string;
  onShow: () => void;
  onClose?: () => void;
  children: ReactNode;
}

function Head({ isShown, label, title, onShow, onClose, children }: HeadProps) {
  return (
    <div className={classes('flex shrink-0 items-center rounded-lg', isShown ? 'bg-accent-soft' : 'hover:bg-sunken')}>
      <button
        type="button"
        aria-current={isShown || undefined}
        aria-label={label}
        title={title}
        onClick={onShow}
        className={classes(
          'flex h-8 max-w-56 items-center gap-1.5 rounded-lg ps-2.5 text-sm whitespace-nowrap -outline-offset-2! touch:min-h-11',
          onClose ? 'pe-1' : 'pe-3',
          isShown && 'font-medium',
        )}
      >
        {children}
      </button>
      {onClose && (
        <IconButton size="small" label={t('files.close', { name: nameOf(title ?? '') })} onClick={onClose}>
          <X className="size-3.5" aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

function DirtyMark({ file }: { file: OpenFile }) {
  const isDirty = useSyncExternalStore(file.isDirty.subscribe, file.isDirty.get);
  if (!isDirty) return null;
  return (
    <span className="text-brass">
      {'●'}
      <span className="sr-only">{t('files.not_saved')}</span>
    </span>
  );
}
