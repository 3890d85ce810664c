// When a bot that ended is started again. Pure; the random part is passed in.
import type { ExitReason } from '@botel/contract/vocabulary';
import type { RestartPolicy } from './bot.ts';

/** A run of this length forgives all failures before it. */
export const forgivingUptimeSeconds = 600;

/** Seconds before try n+1 after n failures in a row, without jitter: 1, 2, 4 … `maxSeconds`. */
export function backoffSeconds(failures: number, maxSeconds: number): number {
  return Math.min(2 ** Math.min(failures - 1, 30), maxSeconds);
}

/** Whether an end of this kind counts as a failure that is tried again. */
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

/** The failures in a row after one more; `uptimeSeconds` is that of the run that just ended. */
export function countFailures(before: number, uptimeSeconds: number): number {
  return uptimeSeconds >= forgivingUptimeSeconds ? 1 : before + 1;
}

/**
 * Time of the next try (ms) after `failures` in a row, or null when the policy wants none.
 * `fraction` in [0, 1) is the jitter: 0 to 10 % on top.
 */
export function retryAt(policy: RestartPolicy, failures: number, now: number, fraction: number): number | null {
  if (policy.mode === 'never') return null;
  if (policy.maxRetries !== null && failures > policy.maxRetries) return null;
  return Math.round(now + backoffSeconds(failures, policy.backoffMaxSeconds) * 1000 * (1 + fraction * 0.1));
}
