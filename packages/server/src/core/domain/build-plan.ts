// What must be built before a bot can run: a command, and the files that it depends on. Pure.
import type { Bot } from './bot.ts';
import type { BuildPlan, Project } from './languages/language.ts';
import { languageDefinitions } from './languages/languages.ts';

const allRules = Object.values(languageDefinitions).map(({ build }) => build);

/** Files in the root of a home whose text determines the plan, with the number of bytes to read. */
export const inspectedFiles: ReadonlyMap<string, number> = new Map(allRules.flatMap(({ inspected }) => inspected));

/** Folders of build results and downloads, which hold no sources. */
export const generatedFolders: ReadonlySet<string> = new Set([
  '.cache',
  '.git',
  ...allRules.flatMap(({ generated }) => generated),
]);

const manifestNames = allRules.flatMap(({ manifests }) => manifests);

/** The bot's build, or null when it runs without one. */
export function buildPlan(
  bot: Pick<Bot, 'language' | 'startupCommand' | 'buildCommand'>,
  found: Pick<Project, 'names' | 'texts'>,
): BuildPlan | null {
  const { build } = languageDefinitions[bot.language];
  const manifests = manifestNames.filter((name) => found.names.has(name));
  const plan = build.plan(bot.startupCommand, { ...found, manifests });
  if (bot.buildCommand === null) return plan;
  return {
    command: bot.buildCommand,
    inputs: plan?.inputs ?? manifests,
    sources: plan && plan.sources.length > 0 ? plan.sources : build.sources,
  };
}
