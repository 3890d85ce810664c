// Toasts. Errors stay until closed. The toaster itself loads with the first one.
import type { toast as Sonner } from 'sonner';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { ValueStore } from '../lib/value-store.ts';
import { errorText, explanationOf } from './states.tsx';
import { lazyPart } from '../lib/lazy-part.ts';

const Toasts = lazy(async () => ({ default: (await lazyPart(() => import('./toasts.tsx'))).Toasts }));
const areWanted = new ValueStore(false);
const ready = Promise.withResolvers<void>();

/** Mounted once per page. */
export function ToastSlot() {
  const isWanted = useSyncExternalStore(areWanted.subscribe, areWanted.get);
  return <Suspense>{isWanted && <Toasts onReady={ready.resolve} />}</Suspense>;
}

async function show(how: (toast: typeof Sonner) => void): Promise<void> {
  areWanted.set(true);
  const [{ toast }] = await Promise.all([lazyPart(() => import('sonner')), ready.promise]);
  how(toast);
}

export function toastSuccess(text: string): void {
  void show((toast) => toast.success(text));
}

export function toastError(error: unknown): void {
  const options = { description: explanationOf(error), duration: Number.POSITIVE_INFINITY };
  void show((toast) => toast.error(errorText(error), options));
}

/** A toast with an undo button, for `ms`. */
export function toastUndo(text: string, undo: { label: string; act: () => void }, ms = 10_000): void {
  void show((toast) => toast(text, { duration: ms, action: { label: undo.label, onClick: undo.act } }));
}

/** Runs `work` and toasts its message or error. Resolves with whether it worked. */
export async function withToast(work: () => Promise<{ message?: string } | void>, done?: string): Promise<boolean> {
  try {
    const answer = await work();
    const text = done ?? answer?.message;
    if (text) toastSuccess(text);
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}
