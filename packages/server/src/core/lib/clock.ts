// Time as an argument, so that tests and the simulation control it.

/** A pending timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

/** `now` is ms since the epoch (UTC). `after` runs `callback` once, `delayMs` from now. */
export interface Clock {
  now(): number;
  after(delayMs: number, callback: () => void): Timer;
}

const longestTimerMs = 2 ** 31 - 1;

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const handle = setTimeout(callback, Math.max(0, Math.min(delayMs, longestTimerMs)));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `delayMs`; rejects with the signal's reason when aborted first. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    function onAbort() {
      timer.cancel();
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
