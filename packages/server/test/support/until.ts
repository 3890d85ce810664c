// Waits for a condition instead of a time.

const everyMs = 10;

/** Resolves with the first truthy value of `condition`; rejects after `deadlineMs`. */
export async function until<T>(
  condition: () => T | Promise<T>,
  deadlineMs = 20_000,
): Promise<Exclude<T, false | null | undefined>> {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (performance.now() > giveUpAt) throw new Error(`Not true within ${deadlineMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
