// What the collapsed usage bar of a console says. Pure.
import type { BotData } from '@botel/contract/bots';

type Usage = NonNullable<BotData['usage']>;

/** The newest sample, or the text key of why there is none. */
export function usageSummary({
  status,
  usage,
}: Pick<BotData, 'status' | 'usage'>): Usage | 'numbers.none' | 'numbers.waiting' {
  if (status !== 'online') return 'numbers.none';
  return usage ?? 'numbers.waiting';
}
