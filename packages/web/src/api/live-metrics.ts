// The numbers of bots that came over the live connection, for curves that go on while they are looked at. Outside of
// components: a page that is opened later has them too.
import type { UsageNowData } from '@botel/contract/metrics';

const keptMs = 15 * 60 * 1000;
const none: readonly UsageNowData[] = [];

const kept = new Map<string, readonly UsageNowData[]>();
const listeners = new Set<() => void>();

/** Once per look at the bot. */
export function recordLiveMetrics(botId: string, usage: UsageNowData): void {
  const before = liveMetricsOf(botId);
  if (before.at(-1)?.at === usage.at) return;
  const from = Date.parse(usage.at) - keptMs;
  kept.set(botId, [...before.filter(({ at }) => Date.parse(at) >= from), usage]);
  for (const listener of listeners) listener();
}

/** Oldest first, of the last quarter of an hour; the same list until another one comes. */
export function liveMetricsOf(botId: string): readonly UsageNowData[] {
  return kept.get(botId) ?? none;
}

export function onLiveMetrics(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
