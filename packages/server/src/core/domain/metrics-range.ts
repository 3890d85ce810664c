// Time ranges of metrics and their steps. Pure.
import type { MetricsRange } from '@botel/contract/vocabulary';
import { fail } from './errors.ts';

const maxPoints = 400;
const hour = 3_600;

/** Ranges and their default steps, both in seconds. */
const ranges = {
  '15m': { seconds: hour / 4, step: 60 },
  '1h': { seconds: hour, step: 60 },
  '6h': { seconds: 6 * hour, step: 60 },
  '24h': { seconds: 24 * hour, step: 300 },
  '7d': { seconds: 7 * 24 * hour, step: 1_800 },
  '30d': { seconds: 30 * 24 * hour, step: 7_200 },
} satisfies Record<MetricsRange, { seconds: number; step: number }>;

export interface MetricsQuery {
  range: MetricsRange;
  stepSeconds?: number | undefined;
}

/** Length of the range and its step: the requested one, or the range's default. */
export function stepsOf({ range, stepSeconds }: MetricsQuery): { seconds: number; stepSeconds: number } {
  const { seconds, step } = ranges[range];
  const min = Math.max(60, Math.ceil(seconds / maxPoints));
  if (stepSeconds === undefined) return { seconds, stepSeconds: step };
  if (stepSeconds >= min && stepSeconds <= seconds) return { seconds, stepSeconds };
  throw fail.invalidInput('step_seconds', `must be a whole number between ${min} and ${seconds}`);
}
