// A button with a menu. The menu itself is large and loads when the first one is about to open.
import { cloneElement, lazy, Suspense, useState } from 'react';
import { lazyPart } from '../lib/lazy-part.ts';
import type { MenuEntry, MenuTrigger } from './menu-entry.ts';

const load = () => lazyPart(() => import('./drop-menu.tsx'));
const DropMenu = lazy(async () => ({ default: (await load()).DropMenu }));

export function Menu({ trigger, entries }: { trigger: MenuTrigger; entries: MenuEntry[] }) {
  const [isWanted, setWanted] = useState(false);
  const soon = () => void load().catch(() => undefined);
  const button = cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    busy: isWanted,
    onPointerEnter: soon,
    onFocus: soon,
    onClick: () => setWanted(true),
  });
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <DropMenu trigger={trigger} entries={entries} />
    </Suspense>
  );
}
