// When an ended bot is restarted. Pure; the random part is passed in.
import type { ExitReason } from '@botel/contract/vocabulary';
import type { RestartPolicy } from './bot.ts';

/** A run of this length resets the failure count. */
export const forgivingUptimeSeconds = 600;

/** Seconds before retry after n consecutive failures, without jitter: 1, 2, 4 … `maxSeconds`. */
export function backoffSeconds(failures: number, maxSeconds: number): number {
  return Math.min(2 ** Math.min(failures - 1, 30), maxSeconds);
}

/** Whether this kind of end counts as a failure to retry. */
export function isFailure(reason: ExitReason, policy: RestartPolicy): boolean {
  if (reason === 'exited') return policy.mode === 'always';
  return (
    reason === 'crashed' ||
    reason === 'oom' ||
    reason === 'start_failed' ||
    reason === 'build_failed' ||
    reason === 'vanished'
  );
}

/** Consecutive failures after one more; `uptimeSeconds` is that of the run that just ended. */
export function countFailures(before: number, uptimeSeconds: number): number {
  return uptimeSeconds >= forgivingUptimeSeconds ? 1 : before + 1;
}

/**
 * Time (ms) of the retry; null when the policy wants none. `fraction` in [0, 1): jitter up to 10 %.
 */
export function retryAt(policy: RestartPolicy, failures: number, now: number, fraction: number): number | null {
  if (policy.mode === 'never') return null;
  if (policy.maxRetries !== null && failures > policy.maxRetries) return null;
  return Math.round(now + backoffSeconds(failures, policy.backoffMaxSeconds) * 1000 * (1 + fraction * 0.1));
}
