// The right half of the files: tabs, and in each the text of a file, an image, or why it is neither.
import { Download, Save, X } from 'lucide-react';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { act } from '../bots/act.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { tellDone, told } from '../kit/toast.tsx';
import { classes } from '../lib/classes.ts';
import { remember, remembered } from '../lib/preferences.ts';
import { t } from '../texts/text.ts';
import { nameOf } from './file-kinds.ts';
import { downloadAddress } from './files-api.ts';
import type { OpenFile, SaveOutcome } from './open-file.ts';
import type { OpenFiles, Tab } from './open-files.ts';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));
const ConflictView = lazy(async () => ({ default: (await import('./conflict-view.tsx')).ConflictView }));

interface PaneProps {
  botId: string;
  files: OpenFiles;
  tabs: readonly Tab[];
  shown: string;
  onShow: (path: string | undefined) => void;
}

export function EditorPane({ botId, files, tabs, shown, onShow }: PaneProps) {
  const tab = tabs.find((each) => each.path === shown);
  const close = (path: string) => {
    const each = tabs.find((other) => other.path === path);
    if (each?.kind === 'text' && each.file.isDirty.get() && !confirm(t('files.close_dirty', { name: nameOf(path) })))
      return;
    files.close(path);
    if (path === shown) onShow(tabs.findLast((other) => other.path !== path)?.path);
  };
  return (
    <section
      aria-label={t('files.editor')}
      className="flex min-h-0 min-w-0 flex-col rounded-card bg-surface shadow-card"
    >
      <div role="group" aria-label={t('files.open_files')} className="flex overflow-x-auto border-b border-line">
        {tabs.map((each) => (
          <TabHead
            key={each.path}
            tab={each}
            isShown={each.path === shown}
            onShow={() => onShow(each.path)}
            onClose={() => close(each.path)}
          />
        ))}
      </div>
      {tab?.kind === 'text' && (
        <TextFile key={tab.path} botId={botId} file={tab.file} onReload={() => void files.reload(tab.path)} />
      )}
      {tab?.kind === 'loading' && (
        <div className="p-3">
          <Skeleton rows={4} height="1.5rem" retry={() => void files.reload(tab.path)} />
        </div>
      )}
      {tab?.kind === 'failed' && (
        <div className="p-3">
          <ErrorCard error={tab.error} retry={() => void files.reload(tab.path)} />
        </div>
      )}
      {tab?.kind === 'binary' && (
        <div className="grid justify-items-start gap-3 p-4">
          <p className="text-muted">{t('files.binary')}</p>
          <DownloadLink botId={botId} path={tab.path} />
        </div>
      )}
    </section>
  );
}

function TabHead({
  tab,
  isShown,
  onShow,
  onClose,
}: {
  tab: Tab;
  isShown: boolean;
  onShow: () => void;
  onClose: () => void;
}) {
  return (
    <div className={classes('flex shrink-0 items-center border-e border-line', isShown && 'bg-accent-soft')}>
      <button
        type="button"
        aria-current={isShown || undefined}
        title={tab.path}
        onClick={onShow}
        className="h-9 ps-3 pe-1 text-sm focus-visible:outline-offset-[-2px] touch:min-h-11"
      >
        {nameOf(tab.path)}
        {tab.kind === 'text' && <DirtyMark file={tab.file} />}
      </button>
      <IconButton size="small" label={t('files.close', { name: nameOf(tab.path) })} onClick={onClose}>
        <X className="size-3.5" aria-hidden />
      </IconButton>
    </div>
  );
}

function DirtyMark({ file }: { file: OpenFile }) {
  const isDirty = useSyncExternalStore(file.isDirty.subscribe, file.isDirty.get);
  if (!isDirty) return null;
  return (
    <span className="ms-1.5 text-brass">
      {'●'}
      <span className="sr-only">{t('files.not_saved')}</span>
    </span>
  );
}

function DownloadLink({ botId, path }: { botId: string; path: string }) {
  return (
    <a
      href={downloadAddress(botId, path)}
      className="inline-flex h-9 items-center gap-2 rounded-lg px-3 text-sm font-medium ring-1 ring-edge/60 ring-inset touch:min-h-11"
    >
      <Download className="size-4" aria-hidden />
      {t('files.download')}
    </a>
  );
}

type Conflict = Extract<SaveOutcome, { kind: 'conflict' }>;

function TextFile({ botId, file, onReload }: { botId: string; file: OpenFile; onReload: () => void }) {
  const isDirty = useSyncExternalStore(file.isDirty.subscribe, file.isDirty.get);
  const [restarts, setRestarts] = useState(() => remembered('files.restarts') === 'true');
  const [busy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const save = async (over?: string | null) => {
    if (busy) return;
    setBusy(true);
    const worked = await told(async () => {
      const outcome = await file.save(over);
      setConflict(outcome.kind === 'conflict' ? outcome : null);
      if (outcome.kind === 'conflict') return;
      tellDone(t('files.saved', { name: nameOf(file.path) }));
      if (restarts) await act('restart', botId);
    });
    setBusy(false);
    return worked;
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <p className="me-auto min-w-0 px-1 font-mono text-xs text-muted">{file.path}</p>
        <label className="flex min-h-8 items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-5 accent-accent"
            checked={restarts}
            onChange={(event) => {
              setRestarts(event.target.checked);
              remember('files.restarts', String(event.target.checked));
            }}
          />
          {t('files.restart_after')}
        </label>
        <DownloadLink botId={botId} path={file.path} />
        <Button
          look="primary"
          icon={<Save className="size-4" aria-hidden />}
          busy={busy}
          why={isDirty ? null : t('files.nothing_to_save')}
          onClick={() => void save()}
        >
          {t('action.save')}
        </Button>
      </div>
      <div className="h-[60dvh] min-h-64 grow md:h-[max(18rem,calc(100dvh-24rem))]">
        <Suspense fallback={<p className="p-4 text-muted">{t('state.loading')}</p>}>
          <CodeEditor file={file} onSave={() => void save()} />
        </Suspense>
      </div>
      <Confirm
        open={conflict?.theirs === null}
        onClose={() => setConflict(null)}
        title={t('files.gone', { name: nameOf(file.path) })}
        lead={t('files.gone_lead')}
        verb={t('files.gone_save')}
        onConfirm={async () => void (await save(null))}
      />
      {conflict?.theirs && (
        <Suspense>
          <ConflictView
            path={file.path}
            mine={file.state?.doc.toString() ?? ''}
            theirs={conflict.theirs.text}
            onClose={() => setConflict(null)}
            onTakeTheirs={() => {
              setConflict(null);
              onReload();
            }}
            onSave={(text) => {
              file.replace(text);
              void save(conflict.theirs?.etag);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
