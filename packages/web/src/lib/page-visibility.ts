// Page visibility: live connections end after the page was hidden for a while, and resume with it.

const hiddenMs = 60_000;

/**
 * A signal that aborts once the page was hidden for a minute, or with the given one; `end` stops
 * observing.
 */
export function hiddenLong(signal: AbortSignal): { signal: AbortSignal; end(): void } {
  const hidden = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => hidden.abort(), hiddenMs);
  };
  document.addEventListener('visibilitychange', look);
  return {
    signal: AbortSignal.any([signal, hidden.signal]),
    end() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    },
  };
}

/** Resolves at the next change of visibility, or when `signal` aborts. */
export async function untilVisible(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
