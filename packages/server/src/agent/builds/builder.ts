// Whether and how a bot is built before it runs: the build plan of its project, keyed by everything
// that the result depends on. A project whose key was recorded is not built again.
import type { Bot } from '../../core/domain/bot.ts';
import { buildPlan, generatedFolders, inspectedFiles } from '../../core/domain/build-plan.ts';
import type { BuildPlan } from '../../core/domain/languages/language.ts';
import type { Projects } from './projects.ts';
import { sha256 } from '../../core/lib/ids.ts';

/** A build that has to be done; `key` names its result. */
export interface NeededBuild {
  command: string;
  key: string;
}

export class Builder {
  /** Least memory of a build, in MB. */
  readonly memoryMb: number;
  readonly #projects: Pick<Projects, 'inspect' | 'fingerprint'>;

  constructor(projects: Pick<Projects, 'inspect' | 'fingerprint'>, memoryMb: number) {
    this.#projects = projects;
    this.memoryMb = memoryMb;
  }

  /** The bot's build, or null when there is none or its result is there already. */
  async needed(bot: Bot): Promise<NeededBuild | null> {
    const plan = await this.#plan(bot);
    if (!plan) return null;
    const key = await this.#key(bot, plan);
    return key === bot.observed.buildKey ? null : { command: plan.command, key };
  }

  /** The command of the build that was begun; `true` (which does nothing) when its reason has gone meanwhile. */
  async command(bot: Bot): Promise<string> {
    return (await this.#plan(bot))?.command ?? 'true';
  }

  /**
   * The key that the result of a build has. A lock file that the build itself wrote counts as known; what the owner
   * changed meanwhile does not, so that the next start builds again.
   */
  async resultKey(bot: Bot): Promise<string | null> {
    const { pendingBuildKey, runBeganAt } = bot.observed;
    if ((bot.changedAt ?? 0) > (runBeganAt ?? 0)) return pendingBuildKey;
    const plan = await this.#plan(bot);
    return plan && this.#key(bot, plan);
  }

  async #plan(bot: Bot): Promise<BuildPlan | null> {
    return buildPlan(bot, await this.#projects.inspect(bot.id, inspectedFiles));
  }

  async #key(bot: Bot, plan: BuildPlan): Promise<string> {
    const files = await this.#projects.fingerprint(bot.id, { ...plan, skip: generatedFolders });
    const parts = [bot.language, bot.runtimeVersion, bot.buildEpoch, plan.command, files, ...bot.packages];
    return sha256(parts.join('\n'));
  }
}
