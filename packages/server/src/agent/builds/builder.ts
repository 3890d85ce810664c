// Decides whether and how a bot is built before it runs: the build plan of its project, keyed by
// everything that the result depends on. A recorded key is not built again.
import type { Bot } from '../../core/domain/bot.ts';
import { buildPlan, generatedFolders, inspectedFiles } from '../../core/domain/build-plan.ts';
import type { BuildPlan } from '../../core/domain/languages/language.ts';
import type { Projects } from './projects.ts';
import { sha256 } from '../../core/lib/ids.ts';

/** A required build; `key` identifies its result. */
export interface NeededBuild {
  command: string;
  key: string;
}

export class Builder {
  /** Minimum memory of a build, in MB. */
  readonly memoryMb: number;
  readonly #projects: Pick<Projects, 'inspect' | 'fingerprint'>;

  constructor(projects: Pick<Projects, 'inspect' | 'fingerprint'>, memoryMb: number) {
    this.#projects = projects;
    this.memoryMb = memoryMb;
  }

  /** The bot's build, or null when it needs none or its result exists; rejects with the signal. */
  async needed(bot: Bot, signal: AbortSignal): Promise<NeededBuild | null> {
    const plan = await this.#plan(bot);
    if (!plan) return null;
    const key = await this.#key(bot, plan, signal);
    return key === bot.observed.buildKey ? null : { command: plan.command, key };
  }

  /** The command of the build that began; `true` when the build is no longer needed. */
  async command(bot: Bot): Promise<string> {
    return (await this.#plan(bot))?.command ?? 'true';
  }

  /**
   * The key of a build's result. A lock file that the build itself wrote is included; changes by
   * the owner during the build are not, so that the next start builds again.
   */
  async resultKey(bot: Bot, signal: AbortSignal): Promise<string | null> {
    const { pendingBuildKey, runBeganAt } = bot.observed;
    if ((bot.changedAt ?? 0) > (runBeganAt ?? 0)) return pendingBuildKey;
    const plan = await this.#plan(bot);
    return plan && this.#key(bot, plan, signal);
  }

  async #plan(bot: Bot): Promise<BuildPlan | null> {
    return buildPlan(bot, await this.#projects.inspect(bot.id, inspectedFiles));
  }

  async #key(bot: Bot, plan: BuildPlan, signal: AbortSignal): Promise<string> {
    const covered = { ...plan, skip: generatedFolders };
    const files = await this.#projects.fingerprint(bot.id, covered, signal);
    const parts = [bot.language, bot.runtimeVersion, bot.buildEpoch, plan.command, files, ...bot.packages];
    return sha256(parts.join('\n'));
  }
}
