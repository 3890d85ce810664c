// Where toasts appear. Loaded with the first one.
import { useEffect } from 'react';
import { Toaster } from 'sonner';

export function Toasts({ onReady }: { onReady: () => void }) {
  // After the toaster's own effects, so that it is listening.
  useEffect(onReady, [onReady]);
  return (
    <Toaster
      position="bottom-right"
      theme={document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light'}
      closeButton
      toastOptions={{ className: 'bg-surface! text-ink! border-line! rounded-xl!' }}
    />
  );
}
