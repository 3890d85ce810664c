// The container of a bot. Pure; the engine adds nothing that a bot could notice.
import { type Bot, containerName, networkOf, runMemoryMb } from '../../core/domain/bot.ts';
import { portVariable } from '../../core/domain/environment.ts';
import { downloadsPath } from '../../core/domain/languages/language.ts';
import { languageDefinitions } from '../../core/domain/languages/languages.ts';
import { argvOf, launcherPath } from '../../core/domain/launch.ts';
import { mebibyte, vcpuOf } from '../../core/domain/quota.ts';
import type { ContainerSpec } from '../engine/engine.ts';

const cpuPeriodMicros = 100_000;
const homePath = '/home/bot';

/** The bot's paths on this machine. */
interface BotPaths {
  home: string;
  passwd: string;
  launcher: string;
}

/** What a container needs besides the bot's own record. */
export interface Fittings {
  imageId: string;
  paths: BotPaths;
  /** Values of the owner's variables. */
  environment: Record<string, string>;
}

/** As for a bot, but a build does not get its variables. */
export type BuildFittings = Omit<Fittings, 'environment'> & {
  /** Minimum memory of a build. */
  memoryMb: number;
  /** Path on this machine of the downloads for its language; null = there are none. */
  downloads: string | null;
};

export function containerSpec(bot: Bot, { imageId, paths, environment }: Fittings): ContainerSpec {
  const memoryMb = runMemoryMb(bot);
  return {
    name: containerName(bot.id),
    botId: bot.id,
    generation: bot.observed.runGeneration,
    run: bot.observed.run,
    imageId,
    uid: bot.uid,
    argv: argvOf(bot.startupCommand),
    environment: environmentOf(bot, environment),
    workingDirectory: homePath,
    memoryBytes: memoryMb * mebibyte,
    cpuPeriodMicros,
    cpuQuotaMicros: Math.round(vcpuOf(memoryMb) * cpuPeriodMicros),
    pidsLimit: languageDefinitions[bot.language].pidsLimit,
    openFilesLimit: 4096,
    // Counts against the memory limit, so it is a share of it.
    tmpBytes: Math.floor(memoryMb / 4) * mebibyte,
    shmBytes: 16 * mebibyte,
    mounts: [
      { source: paths.home, target: homePath, readOnly: false },
      readOnly(paths.passwd, '/etc/passwd'),
      readOnly(paths.launcher, launcherPath),
    ],
    stopSignal: bot.stop.signal,
    stopGraceSeconds: bot.stop.graceSeconds,
    network: networkOf(bot),
    runtime: bot.planRuntime,
    stdin: bot.observed.runStdin,
  };
}

/** Processes and threads together: compilers and package managers need more than a bot. */
const buildPidsLimit = 512;

/** Hardened like the bot's, with its own limits and without the owner's variables. */
export function buildSpec(bot: Bot, command: string, fittings: BuildFittings): ContainerSpec {
  const memoryMb = Math.max(runMemoryMb(bot), fittings.memoryMb);
  const { downloads } = fittings;
  const variables = downloads === null ? {} : languageDefinitions[bot.language].downloads;
  const spec = containerSpec(bot, { ...fittings, environment: { CI: '1', ...variables } });
  return {
    ...spec,
    argv: [launcherPath, 'build', command],
    mounts: [...spec.mounts, ...(downloads === null ? [] : [readOnly(downloads, downloadsPath)])],
    memoryBytes: memoryMb * mebibyte,
    cpuQuotaMicros: Math.round(vcpuOf(memoryMb) * cpuPeriodMicros),
    pidsLimit: buildPidsLimit,
    tmpBytes: Math.floor(memoryMb / 4) * mebibyte,
    // Registries are on the internet: only the plan denies it to builds too.
    network: bot.planInternet ? 'internet' : 'none',
    stdin: false,
  };
}

function readOnly(source: string, target: string) {
  return { source, target, readOnly: true };
}

/** The owner's variables unchanged, then Botel's own. */
function environmentOf(bot: Bot, environment: Record<string, string>): string[] {
  const own = { HOME: homePath, PORT: portVariable(environment, bot.app), ...environment };
  const botels = {
    BOTEL_BOT_ID: bot.id,
    BOTEL_BOT_NAME: bot.name,
    BOTEL_RUN: String(bot.observed.run),
    // Init passes the stop signal to the process group: it reaches programs behind a shell.
    TINI_KILL_PROCESS_GROUP: '1',
  };
  return Object.entries({ ...own, ...botels }).map(([key, value]) => `${key}=${value}`);
}
