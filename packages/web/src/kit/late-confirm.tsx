// The question before something that can't be taken back, for pages that begin without it: loaded when it is first asked.
import { type ComponentProps, lazy, Suspense } from 'react';
import type { Confirm as Loaded } from './dialog.tsx';
import { latePart } from '../lib/late-part.ts';

const Confirm = lazy(async () => ({ default: (await latePart(() => import('./dialog.tsx'))).Confirm }));

export function LateConfirm(props: ComponentProps<typeof Loaded>) {
  return <Suspense>{props.open && <Confirm {...props} />}</Suspense>;
}
