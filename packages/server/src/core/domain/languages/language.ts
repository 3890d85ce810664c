// What Botel knows of a language. Each file beside this one defines one; languages.ts lists them.
import type { HintCode, HintValues } from '../exit-hint-texts.ts';

export interface LanguageDefinition {
  /** Runtime versions, the default first. */
  versions: readonly [string, ...string[]];
  /** Processes and threads together that a bot may have. */
  pidsLimit: number;
  /** Commands that are the program itself: they need no launcher to pass signals on. */
  interpreters: readonly string[];
  image: RuntimeImage;
  build: BuildRules;
  /** Environment that makes a build use the downloads on this machine; null = it has none. */
  downloads: Readonly<Record<string, string>> | null;
  /** What only programs of this language print before they end. */
  hints: readonly HintRule[];
}

/** What differs between runtime images; images/<language>/Dockerfile holds the rest. */
interface RuntimeImage {
  /** Pulled where a registry answers; null = none, built on Debian only. */
  officialImage: ((version: string) => string) | null;
  /** How long a build takes on a small machine, as the waiting owner reads it. */
  buildDuration: string;
  /** Set only on machines with authorities of their own, for programs that ignore the system's. */
  trustEnvironment: Readonly<Record<string, string>>;
}

/** Where containers that build find files downloaded before. They cannot write there. */
export const downloadsPath = '/botel/downloads';

/** Files with the authorities that a machine trusts, inside of an image. */
export const extraAuthorities = '/usr/local/share/botel/extra-ca.crt';
export const allAuthorities = '/etc/ssl/certs/ca-certificates.crt';

interface BuildRules {
  /** What the language expects to be built; null when the project runs as it is. */
  plan(startupCommand: string, project: Project): BuildPlan | null;
  /** Names of manifests, lock files and settings of package managers. */
  manifests: readonly string[];
  /** Files in the root of the home whose text decides on the plan, with the bytes to read. */
  inspected: readonly (readonly [name: string, bytes: number])[];
  /**
   * What an owner's own build command may compile; files that bots write must not trigger builds.
   */
  sources: readonly string[];
  /** Folders of results and downloads. */
  generated: readonly string[];
}

/** A build, repeated only when the plan or one of its inputs changes. */
export interface BuildPlan {
  /** Shell text that is run in the bot's home. */
  command: string;
  /** Files in the root of the home. */
  inputs: readonly string[];
  /** Further inputs below the home: endings of names, and folders of the root (`src/`). */
  sources: readonly string[];
}

/** What was found in a home. */
export interface Project {
  /** Names in its root. */
  names: ReadonlySet<string>;
  /** Those of `names` that are manifests, of any language. */
  manifests: readonly string[];
  /** Beginnings of the inspected files that exist. */
  texts: ReadonlyMap<string, string>;
}

/** Facts of the bot that a hint's values are computed from. */
export interface HintFacts {
  memoryMb: number;
  pidsLimit: number;
}

export interface HintRule {
  code: HintCode;
  /** Searched in one line; its named groups are the values. */
  pattern: RegExp;
  /** Means something else with any other exit code. */
  exitCode?: number;
  /** The values, where they are not the groups themselves. */
  values?(groups: Record<string, string>, facts: HintFacts): HintValues;
}

export const memoryValues = (_: unknown, { memoryMb }: HintFacts) => ({ memory_mb: memoryMb });
export const processValues = (_: unknown, { pidsLimit }: HintFacts) => ({ pids_limit: pidsLimit });
export const fileValue = (file: string) => () => ({ file });
