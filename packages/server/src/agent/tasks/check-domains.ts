// Periodically rechecks domains that were verified long ago.
import type { Task } from './driver.ts';

const everyMs = 10 * 60 * 1000;

export function checkDomains(checker: { recheck(): Promise<void> }): Task {
  return { name: 'check-domains', everyMs, run: () => checker.recheck() };
}
