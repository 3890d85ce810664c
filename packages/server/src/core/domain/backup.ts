// Backups, and the bot settings that they store beside the files. Pure.
import type { BackupTrigger, Language } from '@botel/contract/vocabulary';
import type { KeyedTryLock } from '../lib/keyed-try-lock.ts';
import type { Bot, RestartPolicy } from './bot.ts';
import { fail } from './errors.ts';
import { mebibyte } from './quota.ts';
import { languageDefinitions } from './languages/languages.ts';

/** Allowance for headers of many small files and for what lies over the disk limit. */
const packedPart = 1.1;
const packedFreeBytes = 16 * mebibyte;

/** Bytes of the files in a backup, before compression: holes count, further hard links do not. */
export function packedBytesMax(diskMb: number): number {
  return packedPart * diskMb * mebibyte + packedFreeBytes;
}

/** Maximum backups per bot. */
export const backupsMax = 8;

/** The safety backup that another one replaces when no slot is left, as a list; throws 403 when
 * there is none. `all` are the newest first. */
export function backupToReplace(all: readonly Backup[], restoredId: string): Backup[] {
  if (all.length < backupsMax) return [];
  const oldest = all.findLast(({ id, trigger, locked }) => trigger === 'safety' && !locked && id !== restoredId);
  if (!oldest) throw fail.backupLimit(all.length, backupsMax);
  return [oldest];
}

/** A stored backup. `sha256` is the hex digest of its file; times are ms since the epoch. */
export interface Backup {
  id: string;
  botId: string;
  /** Unique among the bot's backups. */
  name: string;
  sizeBytes: number;
  sha256: string;
  trigger: BackupTrigger;
  /** The schedule that created it; null when none did, or the schedule was deleted. */
  scheduleId: string | null;
  /** Locked backups can't be deleted. */
  locked: boolean;
  createdAt: number;
}

/** An accepted restore that has not finished. `safety`: back up the current files first. */
export interface PendingRestore {
  botId: string;
  backupId: string;
  /** The user who requested it. */
  userId: string;
  safety: boolean;
}

/** Mutually exclusive operations on a bot's files; a second one fails with bot_busy. */
export type BotWork = 'restoring' | 'backup';
export type BotLocks = KeyedTryLock<BotWork>;

/** Settings as stored in a backup. */
export interface SavedSettings {
  name: string;
  language: Language;
  memoryMb: number;
  startupCommand: string;
  buildCommand: string | null;
  runtimeVersion: string;
  packages: string[];
  restartPolicy: RestartPolicy;
  stop: Bot['stop'];
  network: Bot['network'];
  stdin: boolean;
  /** The variables, encrypted for the bot `environmentOf`: never plain. */
  environment: string;
  environmentOf: string;
}

const version = 1;

/** Serializes a bot's settings to JSON; `environment` is its encrypted variables. */
export function writeSettings(bot: Bot, environment: string): string {
  const settings = {
    version,
    name: bot.name,
    language: bot.language,
    memory_mb: bot.memoryMb,
    startup_command: bot.startupCommand,
    build_command: bot.buildCommand,
    runtime_version: bot.runtimeVersion,
    packages: bot.packages,
    restart_policy: {
      mode: bot.restartPolicy.mode,
      max_retries: bot.restartPolicy.maxRetries,
      backoff_max_seconds: bot.restartPolicy.backoffMaxSeconds,
    },
    stop: { signal: bot.stop.signal, grace_seconds: bot.stop.graceSeconds },
    network: bot.network,
    stdin: bot.stdin,
    environment,
    environment_of: bot.id,
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** Parses the output of writeSettings. Throws for a newer version. */
export function readSettings(text: string): SavedSettings {
  const saved = JSON.parse(text);
  if (saved.version !== version) throw new Error(`The backup's settings are of version ${saved.version}`);
  return {
    name: saved.name,
    language: saved.language,
    memoryMb: saved.memory_mb,
    startupCommand: saved.startup_command,
    buildCommand: saved.build_command,
    runtimeVersion: saved.runtime_version,
    restartPolicy: {
      mode: saved.restart_policy.mode,
      maxRetries: saved.restart_policy.max_retries,
      backoffMaxSeconds: saved.restart_policy.backoff_max_seconds,
    },
    stop: { signal: saved.stop.signal, graceSeconds: saved.stop.grace_seconds },
    // Older backups lack these settings.
    network: saved.network ?? 'internet',
    stdin: saved.stdin ?? false,
    packages: saved.packages ?? [],
    environment: saved.environment,
    environmentOf: saved.environment_of,
  };
}

/** Settings of a new bot from a backup; the plan decides its memory. `allowed`: packages. */
export function copiedSettings(
  saved: SavedSettings,
  wanted: { name?: string | undefined; memoryMb?: number | undefined },
  allowed: readonly string[],
) {
  const { language, runtimeVersion } = saved;
  const versions = languageDefinitions[language].versions;
  return {
    ...keptSettings(saved, allowed),
    name: wanted.name ?? saved.name,
    memoryMb: wanted.memoryMb ?? saved.memoryMb,
    language,
    runtimeVersion: versions.includes(runtimeVersion) ? runtimeVersion : versions[0],
  };
}

/**
 * What a restore can apply to `bot`. `availableMb`: memory left in its plan; `allowed`: packages.
 */
export function restoredSettings(saved: SavedSettings, bot: Bot, availableMb: number, allowed: readonly string[]) {
  const { name, memoryMb, runtimeVersion } = saved;
  return {
    ...keptSettings(saved, allowed),
    name,
    ...(memoryMb <= Math.max(availableMb, bot.memoryMb) && { memoryMb }),
    // The runtime may have been retired since.
    ...(languageDefinitions[bot.language].versions.includes(runtimeVersion) && { runtimeVersion }),
  };
}

/** Settings that any bot can take as saved, and the `allowed` ones of its packages. */
function keptSettings(saved: SavedSettings, allowed: readonly string[]) {
  const { startupCommand, buildCommand, restartPolicy, stop, network, stdin } = saved;
  const packages = saved.packages.filter((each) => allowed.includes(each));
  return { startupCommand, buildCommand, restartPolicy, stop, network, stdin, packages };
}
