// The settings of a bot as its form holds them, and what a save of them sends: only what was changed. Pure.
import type { BotData } from '@botel/contract/bots';

const mebibyte = 1024 * 1024;

/** `retries` null = without end. Sizes in MB, times in seconds. */
export interface SettingsDraft {
  name: string;
  memory: number;
  diskMb: number;
  network: BotData['network'];
  stdin: boolean;
  mode: BotData['restart_policy']['mode'];
  retries: number | null;
  backoff: number;
  signal: string;
  grace: number;
  /** In the order of the alphabet. */
  packages: string[];
}

export function draftOf(bot: BotData): SettingsDraft {
  const { name, memory, disk, network, stdin, restart_policy: policy, stop, packages } = bot;
  return {
    name,
    memory,
    diskMb: Math.round(disk.limit_bytes / mebibyte),
    network,
    stdin,
    mode: policy.mode,
    retries: policy.max_retries,
    backoff: policy.backoff_max_seconds,
    signal: stop.signal,
    grace: stop.grace_seconds,
    packages: packages.toSorted(),
  };
}

/** Names of the fields in which they differ. */
export function changedFields(draft: SettingsDraft, before: SettingsDraft): (keyof SettingsDraft)[] {
  const names = Object.keys(draft) as (keyof SettingsDraft)[];
  return names.filter((name) => String(draft[name]) !== String(before[name]));
}

/** The body of POST /bots/update but for the bot. A policy or a stop goes as a whole: what is left out of it gets its default. */
export function inputOf(draft: SettingsDraft, before: SettingsDraft): Record<string, unknown> {
  const { name, memory, diskMb, network, stdin, mode, retries, backoff, signal, grace, packages } = draft;
  const changed = new Set(changedFields(draft, before));
  const has = (...names: (keyof SettingsDraft)[]) => names.some((each) => changed.has(each));
  return {
    ...(has('name') && { name }),
    ...(has('memory') && { memory }),
    ...(has('diskMb') && { disk_mb: diskMb }),
    ...(has('network') && { network }),
    ...(has('stdin') && { stdin }),
    ...(has('packages') && { packages }),
    ...(has('mode', 'retries', 'backoff') && {
      restart_policy: { mode, backoff_max_seconds: backoff, ...(retries !== null && { max_retries: retries }) },
    }),
    ...(has('signal', 'grace') && { stop: { signal, grace_seconds: grace } }),
  };
}
