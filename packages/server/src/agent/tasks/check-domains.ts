// Looks now and then at domains that were verified long ago. What is seen then is the service's,
// which server.ts hands in.
import type { Task } from './driver.ts';

const everyMs = 10 * 60 * 1000;

export function checkDomains(checker: { recheck(): Promise<void> }): Task {
  return { name: 'check-domains', everyMs, run: () => checker.recheck() };
}
