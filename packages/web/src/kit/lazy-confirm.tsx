// The confirmation dialog, loaded when first needed.
import { type ComponentProps, lazy, Suspense } from 'react';
import type { Confirm as Loaded } from './dialog.tsx';
import { lazyPart } from '../lib/lazy-part.ts';

const Confirm = lazy(async () => ({ default: (await lazyPart(() => import('./dialog.tsx'))).Confirm }));

export function LazyConfirm(props: ComponentProps<typeof Loaded>) {
  return <Suspense>{props.open && <Confirm {...props} />}</Suspense>;
}
