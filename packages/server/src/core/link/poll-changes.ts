// Fallback without notifications: polls whether another process wrote to the database.

const everyMs = 1_000;

/** Calls `changed` after commits of other processes while `isNeeded`; returns a stop function. */
export function pollChanges(options: { version(): Promise<number>; isNeeded(): boolean; changed(): void }): () => void {
  let seen: number | null = null;
  let isPolling = false;
  const poll = async () => {
    const now = await options.version();
    if (seen !== null && seen !== now && options.isNeeded()) options.changed();
    seen = now;
  };
  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    // A database that can't be read now is polled again.
    poll()
      .catch(() => {})
      .finally(() => (isPolling = false));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
