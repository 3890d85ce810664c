// Waits for a condition instead of a time.

/** Resolves with the first truthy value of `condition`; rejects after `deadlineMs` real
 * milliseconds. */
export async function until<T>(condition: () => Promise<T | false | null>, deadlineMs = 20_000): Promise<T> {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > giveUpAt) throw new Error(`Not true within ${deadlineMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
