// Waits for a condition by asking again and again, with a deadline.
import { setTimeout as delay } from 'node:timers/promises';

const deadlineMs = 60_000;

/** The first answer of `ask` that is not null or false; rejects after a minute, or `withinMs`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | false>,
  { everyMs = 10, withinMs = deadlineMs }: { everyMs?: number; withinMs?: number } = {},
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (performance.now() > giveUpAt) throw new Error(`Waited in vain for: ${what}`);
    await delay(everyMs);
  }
}
