// The settings form of a bot, and what saving it sends: only the changed fields. Pure.
import type { BotData } from '@botel/contract/bots';

const mebibyte = 1024 * 1024;

/** `retries` null = unlimited. Sizes in MB, times in seconds. */
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
  /** Sorted. */
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

/** The fields that differ. */
export function changedFields(draft: SettingsDraft, before: SettingsDraft): (keyof SettingsDraft)[] {
  const names = Object.keys(draft) as (keyof SettingsDraft)[];
  return names.filter((name) => String(draft[name]) !== String(before[name]));
}

/**
 * The body of POST /bots/update without the bot id. Restart policy and stop are sent whole: missing
 * parts would get their defaults.
 */
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
