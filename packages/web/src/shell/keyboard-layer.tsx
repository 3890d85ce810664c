// Global keyboard shortcuts and what they open: the palette and the list of shortcuts, both loaded
// on demand.
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { isTyping } from '../lib/is-typing.ts';
import { letterKeysOn } from '../lib/preferences.ts';
import { ValueStore } from '../lib/value-store.ts';
import { lazyPart } from '../lib/lazy-part.ts';
import { mainPages } from './main-pages.ts';

const Palette = lazy(async () => ({ default: (await lazyPart(() => import('./palette.tsx'))).Palette }));
const Help = lazy(async () => ({ default: (await lazyPart(() => import('./help.tsx'))).Help }));

type Layer = 'palette' | 'help';

const layer = new ValueStore<Layer | null>(null);

export function openLayer(which: Layer): void {
  layer.set(which);
}

export function KeyboardLayer() {
  const open = useSyncExternalStore(layer.subscribe, layer.get);
  const navigate = useNavigate();
  useEffect(() => {
    let isGoing = false;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return layer.set(layer.get() === 'palette' ? null : 'palette');
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !letterKeysOn()) return;
      const page = isGoing && mainPages.find(({ shortcut }) => shortcut?.[0] === event.key);
      if (page) void navigate({ to: page.to });
      else if (event.key === '?') layer.set('help');
      else if (event.key === 'n') void navigate({ to: '/new' });
      isGoing = event.key === 'g';
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate]);
  const close = () => layer.set(null);
  return (
    <Suspense>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'help' && <Help onClose={close} />}
    </Suspense>
  );
}
