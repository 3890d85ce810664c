// Health checks: when a run counts as up, and what its log says about it. Pure.
import type { HttpAnswer } from '../lib/http-probe.ts';

/** How long a run stays `starting` without a healthy answer. */
export const checkDeadlineMs = 60_000;

/** Healthy = a status of 200 to 399. */
export function isHealthy(answer: HttpAnswer | null): boolean {
  return answer !== null && 'status' in answer && answer.status >= 200 && answer.status < 400;
}

/** Why a run can't be checked; null when it can. */
export function checkHindrance(address: string | null, port: number | null): string | null {
  if (address === null) return 'the bot has no network';
  return port === null ? 'PORT names no port' : null;
}

/** Log line at the end of a check, which took `ms`. */
export function checkText(path: string, answer: HttpAnswer | null, ms: number): string {
  const seen = answer === null ? 'it was not asked' : 'status' in answer ? `status ${answer.status}` : answer.fault;
  if (isHealthy(answer)) return `GET ${path} answered with ${seen} after ${(ms / 1000).toFixed(1)} s`;
  return `GET ${path} did not answer with a status of 200 to 399 within ${checkDeadlineMs / 1000} s, last: ${seen}. The bot counts as online all the same`;
}
