// Checks every minute whether the bots' network is still closed.
import type { NetworkGuard } from '../network/firewall.ts';
import type { Task } from './driver.ts';

export function keepFirewall(guard: NetworkGuard): Task {
  return { name: 'keep-firewall', everyMs: 60_000, run: () => guard.check() };
}
