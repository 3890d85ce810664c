// An open file: its text in the editor, an image, or why it is neither.
import { Download, Save } from 'lucide-react';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { act } from '../bots/act.ts';
import { Button } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { toastSuccess, withToast } from '../kit/toast.tsx';
import { remember, remembered } from '../lib/preferences.ts';
import { t } from '../texts/text.ts';
import { nameOf } from './file-kinds.ts';
import { downloadAddress } from './files-api.ts';
import { ImageView } from './image-view.tsx';
import type { OpenFile, SaveOutcome } from './open-file.ts';
import type { OpenFiles, Tab } from './open-files.ts';
import { lazyPart } from '../lib/lazy-part.ts';

const CodeEditor = lazy(async () => ({ default: (await lazyPart(() => import('./code-editor.tsx'))).CodeEditor }));
const ConflictView = lazy(async () => ({
  default: (await lazyPart(() => import('./conflict-view.tsx'))).ConflictView,
}));

/** What a file is shown as. */
export function EditorPane({ botId, files, tab }: { botId: string; files: OpenFiles; tab: Tab }) {
  const reload = () => void files.reload(tab.path);
  return (
    <section
      aria-label={t('files.editor')}
      className="flex min-h-0 min-w-0 flex-col rounded-card bg-surface shadow-card"
    >
      {tab.kind === 'text' && <TextFile key={tab.path} botId={botId} file={tab.file} onReload={reload} />}
      {tab.kind === 'loading' && (
        <div className="p-3">
          <Skeleton rows={4} height="1.5rem" retry={reload} />
        </div>
      )}
      {tab.kind === 'failed' && (
        <div className="p-3">
          <ErrorCard error={tab.error} retry={reload} />
        </div>
      )}
      {(tab.kind === 'image' || tab.kind === 'binary' || tab.kind === 'too_big') && (
        <div className="grid gap-4 p-4">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="font-mono text-xs text-muted">{tab.path}</p>
            <DownloadLink botId={botId} path={tab.path} />
          </div>
          {tab.kind === 'image' ? (
            <ImageView key={tab.path} path={tab.path} blob={tab.blob} />
          ) : (
            <p className="py-6 text-center text-muted">{t(`files.${tab.kind}`)}</p>
          )}
        </div>
      )}
    </section>
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
    const worked = await withToast(async () => {
      const outcome = await file.save(over);
      setConflict(outcome.kind === 'conflict' ? outcome : null);
      if (outcome.kind === 'conflict') return;
      toastSuccess(t('files.saved', { name: nameOf(file.path) }));
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
          variant="primary"
          sends
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
