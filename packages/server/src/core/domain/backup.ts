// What a backup is, and the settings of a bot that are kept in it beside its files. Pure.
import type { BackupTrigger, Language } from '@botel/contract/vocabulary';
import type { KeyedTryLock } from '../lib/keyed-try-lock.ts';
import type { Bot, RestartPolicy } from './bot.ts';
import { languageDefinitions } from './languages/languages.ts';

/** Backups that a bot may have. */
export const backupsMax = 8;

/** A stored backup. `sha256` is that of its file, in hex; times are ms since the epoch. */
export interface Backup {
  id: string;
  botId: string;
  /** Unique among the bot's backups. */
  name: string;
  sizeBytes: number;
  sha256: string;
  trigger: BackupTrigger;
  /** The schedule that made it, null for others and once that is gone. */
  scheduleId: string | null;
  /** It can't be deleted. */
  locked: boolean;
  createdAt: number;
}

/** A restore that was accepted and is not over. `safety`: what is there becomes a backup first. */
export interface PendingRestore {
  botId: string;
  backupId: string;
  /** Who asked for it. */
  userId: string;
  safety: boolean;
}

/** Operations on a bot's files that exclude each other: a second one gets bot_busy. */
export type BotWork = 'restoring' | 'backup';
export type BotLocks = KeyedTryLock<BotWork>;

/** Settings as a backup holds them. */
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
  /** The variables, encrypted for the bot `environmentOf`: their values are never in a backup in clear. */
  environment: string;
  environmentOf: string;
}

const version = 1;

/** The settings of a bot as JSON; `environment` is its encrypted variables. */
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

/** What writeSettings wrote. Throws when it is of a newer version. */
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
    // Backups of before these settings have none.
    network: saved.network ?? 'internet',
    stdin: saved.stdin ?? false,
    packages: saved.packages ?? [],
    environment: saved.environment,
    environmentOf: saved.environment_of,
  };
}

/** The settings of a new bot that is made of a backup; the plan decides about its memory. `allowed` are packages. */
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
 * The settings that a restore gives to `bot`: all that it can have. `availableMb` is what its plan leaves to it, `allowed`
 * are packages.
 */
export function restoredSettings(saved: SavedSettings, bot: Bot, availableMb: number, allowed: readonly string[]) {
  const { name, memoryMb, runtimeVersion } = saved;
  return {
    ...keptSettings(saved, allowed),
    name,
    ...(memoryMb <= Math.max(availableMb, bot.memoryMb) && { memoryMb }),
    // A runtime may have been taken out of service since.
    ...(languageDefinitions[bot.language].versions.includes(runtimeVersion) && { runtimeVersion }),
  };
}

/** What any bot can have as it was saved, and those of its packages that are `allowed`. */
function keptSettings(saved: SavedSettings, allowed: readonly string[]) {
  const { startupCommand, buildCommand, restartPolicy, stop, network, stdin } = saved;
  const packages = saved.packages.filter((each) => allowed.includes(each));
  return { startupCommand, buildCommand, restartPolicy, stop, network, stdin, packages };
}
