// Accepts drops anywhere on the window, and shows an overlay while something is dragged over it.
import { useEffect, useEffectEvent, useState } from 'react';
import { t } from '../texts/text.ts';
import type { Drop } from './drop-filter.ts';
import { readDrop } from './read-drop.ts';

export function DropZone({ folder, onDrop }: { folder: string; onDrop: (drop: Promise<Drop>) => void }) {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onDrop);
  useEffect(() => {
    // `dragenter` of the next element fires before `dragleave` of the last one.
    let depth = 0;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const listeners = new AbortController();
    const listen = (type: 'dragenter' | 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(
        type,
        (event) => {
          if (!holdsFiles(event)) return;
          event.preventDefault();
          act(event);
          setOver(depth > 0);
        },
        { signal: listeners.signal },
      );
    listen('dragenter', () => depth++);
    listen('dragover', () => undefined);
    listen('dragleave', () => depth--);
    listen('drop', (event) => {
      depth = 0;
      if (event.dataTransfer) take(readDrop(event.dataTransfer.items));
    });
    return () => listeners.abort();
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-30 grid place-items-center rounded-card border-4 border-dashed border-accent bg-surface/90">
      <p className="p-6 text-center text-xl">{t('files.drop_here', { folder: folder || t('files.home') })}</p>
    </div>
  );
}
