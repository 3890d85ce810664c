// Metrics received over the live connection, kept outside of components so that pages opened later
// have them too.
import type { UsageNowData } from '@botel/contract/metrics';

const keptMs = 15 * 60 * 1000;
const none: readonly UsageNowData[] = [];

const kept = new Map<string, readonly UsageNowData[]>();
const listeners = new Set<() => void>();

/** Ignores a sample that is already there. */
export function recordLiveMetrics(botId: string, usage: UsageNowData): void {
  const before = liveMetricsOf(botId);
  if (before.at(-1)?.at === usage.at) return;
  const from = Date.parse(usage.at) - keptMs;
  kept.set(botId, [...before.filter(({ at }) => Date.parse(at) >= from), usage]);
  for (const listener of listeners) listener();
}

/** The last 15 minutes, oldest first; the same array until a new sample arrives. */
export function liveMetricsOf(botId: string): readonly UsageNowData[] {
  return kept.get(botId) ?? none;
}

export function onLiveMetrics(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
