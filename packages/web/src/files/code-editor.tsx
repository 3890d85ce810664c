// An open file in the code editor. Loaded with the first file.
import { useEffect, useEffectEvent, useRef } from 'react';
import { t } from '../texts/text.ts';
import { openEditor } from './editor-setup.ts';
import type { OpenFile } from './open-file.ts';

export function CodeEditor({ file, onSave }: { file: OpenFile; onSave: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const save = useEffectEvent(onSave);
  useEffect(() => {
    if (!box.current) return;
    const view = openEditor({
      parent: box.current,
      path: file.path,
      state: file.state,
      text: file.text,
      label: t('files.text_of', { name: file.path }),
      onChange: (state) => file.take(state),
      onSave: () => save(),
    });
    file.shownBy((insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }));
    return () => {
      file.shownBy(null);
      view.destroy();
    };
  }, [file]);
  return <div ref={box} className="h-full overflow-hidden" />;
}
