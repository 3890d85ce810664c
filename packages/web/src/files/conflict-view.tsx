// Compares the server's version of a file with the edited one, line by line. The edited one can be
// changed and saved.
import { unifiedMergeView } from '@codemirror/merge';
import { EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { t } from '../texts/text.ts';
import { editorExtensions } from './editor-setup.ts';

interface ConflictProps {
  path: string;
  mine: string;
  theirs: string;
  /** Overwrites the server's version with this text. */
  onSave: (text: string) => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

export function ConflictView({ path, mine, theirs, onSave, onTakeTheirs, onClose }: ConflictProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('files.conflict', { name: path })}
      lead={t('files.conflict_lead')}
      className="max-w-4xl!"
    >
      <Merge {...{ path, mine, theirs, onSave, onTakeTheirs, onClose }} />
    </Dialog>
  );
}

/** Inside the dialog: its element exists only while that is open. */
function Merge({ path, mine, theirs, onSave, onTakeTheirs }: ConflictProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  useEffect(() => {
    if (!box.current) return;
    const editor = new EditorView({
      parent: box.current,
      doc: mine,
      extensions: [
        editorExtensions(t('files.text_of', { name: path }), () => undefined),
        unifiedMergeView({ original: theirs, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, [path, mine, theirs]);
  return (
    <div className="grid gap-3">
      <p className="flex flex-wrap gap-3 text-sm">
        <span className="rounded-sm bg-bad-soft px-1.5">{t('files.conflict_theirs')}</span>
        <span className="rounded-sm bg-good-soft px-1.5">{t('files.conflict_mine')}</span>
      </p>
      <div ref={box} className="h-[50vh] overflow-hidden rounded-lg ring-1 ring-line" />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onTakeTheirs}>{t('files.conflict_take')}</Button>
        <Button variant="primary" onClick={() => onSave(view.current?.state.doc.toString() ?? mine)}>
          {t('files.conflict_save')}
        </Button>
      </div>
    </div>
  );
}
