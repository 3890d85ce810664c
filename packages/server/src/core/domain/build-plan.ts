// Decides what has to be built before a bot can run: from its language, its startup command and the files that lie in
// the root of its home to one command and the files that the result depends on. Pure.
import type { Language } from '@botel/contract/vocabulary';
import type { Bot } from './bot.ts';
import { nodeInstall } from './node-install.ts';

/** A build. It is done again only when one of its inputs (or the plan itself) changes. */
export interface BuildPlan {
  /** Shell text that is run in the bot's home. */
  command: string;
  /** Files in the root of the home. */
  inputs: string[];
  /** What else counts below the home: endings of names, and folders of the root with all in them (`src/`). */
  sources: string[];
}

/** What was seen of a home. */
export interface Project {
  /** Names in its root. */
  names: ReadonlySet<string>;
  /** Beginnings of the files of `lookedInto` that are there. */
  texts: ReadonlyMap<string, string>;
}

/** Files of the root whose text decides on the plan, and how many bytes of them. */
export const lookedInto: ReadonlyMap<string, number> = new Map([
  ['package.json', 1024 * 1024],
  ['pyproject.toml', 1024 * 1024],
  ['pnpm-lock.yaml', 1024],
  ['yarn.lock', 1024],
]);

/** Folders whose contents are results or downloads, never sources. */
export const generatedFolders: ReadonlySet<string> = new Set([
  '.cache',
  '.cargo',
  '.git',
  '.gradle',
  '.m2',
  '.npm',
  '.venv',
  'build',
  'dist',
  'node_modules',
  'target',
  'venv',
  '__pycache__',
]);

/** Where compiled classes and binaries go, below the home. */
export const classFolder = 'build/classes';
export const goBinary = 'bot';

type Planned = Pick<Bot, 'language' | 'startupCommand' | 'buildCommand'>;

/** The bot's build, or null when it runs as it is. */
export function buildPlan(bot: Planned, project: Project): BuildPlan | null {
  const plan = planners[bot.language](bot.startupCommand, project);
  if (bot.buildCommand === null) return plan;
  return {
    command: bot.buildCommand,
    inputs: plan?.inputs ?? manifests(project.names),
    sources: plan && plan.sources.length > 0 ? plan.sources : sourcesOfOwnBuild[bot.language],
  };
}

/** What the owner's own command may compile. Not all files: what a bot writes would make each start a build. */
const sourcesOfOwnBuild: Record<Language, string[]> = {
  nodejs: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
  python: ['.py', '.pyx', '.c', '.h'],
  java: ['.java', '.kt'],
  go: ['.go'],
  rust: ['.rs'],
};

/** Names of manifests, lock files and settings of package managers, of any language. */
const manifestNames = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'tsconfig.json',
  'requirements.txt',
  'pyproject.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'settings.gradle',
  'settings.gradle.kts',
  'gradle.lockfile',
  'go.mod',
  'go.sum',
  'go.work',
  'Cargo.toml',
  'Cargo.lock',
];

function manifests(names: ReadonlySet<string>): string[] {
  return manifestNames.filter((name) => names.has(name));
}

type Planner = (startupCommand: string, project: Project) => BuildPlan | null;

const planners: Record<Language, Planner> = {
  nodejs(_startupCommand, { names, texts }) {
    const packageJson = texts.get('package.json');
    if (packageJson === undefined || !hasDependencies(packageJson)) return null;
    const lock = texts.get('pnpm-lock.yaml') ?? texts.get('yarn.lock') ?? '';
    return { command: nodeInstall({ names, packageJson, lock }), inputs: manifests(names), sources: [] };
  },

  python(_startupCommand, { names, texts }) {
    const pyproject = texts.get('pyproject.toml');
    if (!names.has('requirements.txt') && pyproject === undefined) return null;
    // A venv of another runtime would not work: it is made anew.
    const venv = 'python3 -m venv --clear .venv';
    const install = '.venv/bin/pip install --no-cache-dir --disable-pip-version-check';
    const steps = names.has('requirements.txt')
      ? [venv, `${install} -r requirements.txt`]
      : isPackage(pyproject ?? '')
        ? // In place: its sources count as they are.
          [venv, `${install} -e .`]
        : [venv, `${listDependencies} > .venv/dependencies.txt`, `${install} -r .venv/dependencies.txt`];
    return { command: steps.join(' && '), inputs: manifests(names), sources: [] };
  },

  java(startupCommand, { names }) {
    const wrapper = names.has('mvnw')
      ? 'sh ./mvnw -B -q -DskipTests package'
      : names.has('gradlew')
        ? 'sh ./gradlew --no-daemon -q assemble'
        : null;
    if (wrapper) {
      const sources = ['.java', '.kt', '.kts', '.groovy', '.gradle', '.scala', 'pom.xml', 'gradle.properties', 'src/'];
      return { command: wrapper, inputs: manifests(names), sources };
    }
    // `java Bot.java` compiles by itself; without sources there is nothing to compile.
    if (/\.java(\s|$)/.test(startupCommand) || /-jar\s/.test(startupCommand)) return null;
    const classPath = `-cp "lib/*"`;
    const command =
      `mkdir -p ${classFolder} && ` +
      `find . -name '*.java' -not -path './${classFolder}/*' -print0 | xargs -0 -r javac -d ${classFolder} ${classPath}`;
    return { command, inputs: [], sources: ['.java'] };
  },

  go(startupCommand, { names }) {
    if (!names.has('go.mod') || /^\s*go\s+run\b/.test(startupCommand)) return null;
    return { command: `go build -o ${goBinary} .`, inputs: manifests(names), sources: ['.go', 'go.mod'] };
  },

  rust(startupCommand, { names }) {
    if (!names.has('Cargo.toml') || /^\s*cargo\s+run\b/.test(startupCommand)) return null;
    const locked = names.has('Cargo.lock') ? ' --locked' : '';
    return {
      command: `cargo build --release${locked}`,
      inputs: manifests(names),
      sources: ['.rs', 'Cargo.toml', 'src/'],
    };
  },
};

/** Whether a pyproject.toml says how it is built; without that it only lists what the program needs. */
function isPackage(pyproject: string): boolean {
  return /^\s*\[build-system\]/m.test(pyproject);
}

const listDependencies =
  `python3 -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb")).get("project", {}); ` +
  `print(*project.get("dependencies", []), sep="\\n")'`;

function hasDependencies(packageJson: string): boolean {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(packageJson);
  } catch {
    // npm itself tells the owner what is wrong with it.
    return true;
  }
  return ['dependencies', 'devDependencies', 'optionalDependencies'].some((kind) => {
    const list = parsed?.[kind];
    return typeof list === 'object' && list !== null && Object.keys(list).length > 0;
  });
}
