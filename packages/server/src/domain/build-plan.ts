// Decides what has to be built before a bot can run: from its language, its startup command and the files that lie in
// the root of its home to one command and the files that the result depends on. Pure.
import type { Bot } from './bot.ts';
import type { Language } from './languages.ts';

/** A build. It is done again only when one of its inputs (or the plan itself) changes. */
export interface BuildPlan {
  /** Shell text that is run in the bot's home. */
  command: string;
  /** Files in the root of the home. */
  inputs: string[];
  /** Sources below the home that count too, by the ending of their names; null = none. */
  sources: string | null;
}

/** What was seen of a home. */
export interface Project {
  /** Names in its root. */
  names: ReadonlySet<string>;
  /** Text of package.json when it is there. */
  packageJson: string | null;
}

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
    sources: plan?.sources ?? null,
  };
}

/** Names of manifests and lock files of any language. */
const manifestNames = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
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
  'Cargo.toml',
  'Cargo.lock',
];

function manifests(names: ReadonlySet<string>): string[] {
  return manifestNames.filter((name) => names.has(name));
}

type Planner = (startupCommand: string, project: Project) => BuildPlan | null;

const planners: Record<Language, Planner> = {
  nodejs(_startupCommand, { names, packageJson }) {
    if (packageJson === null || !hasDependencies(packageJson)) return null;
    return { command: nodeInstall(names), inputs: manifests(names), sources: null };
  },

  python(_startupCommand, { names }) {
    const what = names.has('requirements.txt') ? '-r requirements.txt' : names.has('pyproject.toml') ? '.' : null;
    if (what === null) return null;
    // A venv of another runtime would not work: it is made anew.
    const command = `python3 -m venv --clear .venv && .venv/bin/pip install --no-cache-dir --disable-pip-version-check ${what}`;
    return { command, inputs: manifests(names), sources: null };
  },

  java(startupCommand, { names }) {
    if (names.has('mvnw'))
      return { command: 'sh ./mvnw -B -q -DskipTests package', inputs: manifests(names), sources: '.java' };
    if (names.has('gradlew'))
      return { command: 'sh ./gradlew --no-daemon -q assemble', inputs: manifests(names), sources: '.java' };
    // `java Bot.java` compiles by itself; without sources there is nothing to compile.
    if (/\.java(\s|$)/.test(startupCommand) || /-jar\s/.test(startupCommand)) return null;
    const classPath = `-cp "lib/*"`;
    const command =
      `mkdir -p ${classFolder} && ` +
      `find . -name '*.java' -not -path './${classFolder}/*' -print0 | xargs -0 -r javac -d ${classFolder} ${classPath}`;
    return { command, inputs: [], sources: '.java' };
  },

  go(startupCommand, { names }) {
    if (!names.has('go.mod') || /^\s*go\s+run\b/.test(startupCommand)) return null;
    return { command: `go build -o ${goBinary} .`, inputs: manifests(names), sources: '.go' };
  },

  rust(startupCommand, { names }) {
    if (!names.has('Cargo.toml') || /^\s*cargo\s+run\b/.test(startupCommand)) return null;
    const locked = names.has('Cargo.lock') ? ' --locked' : '';
    return { command: `cargo build --release${locked}`, inputs: manifests(names), sources: '.rs' };
  },
};

/** Each manager installs exactly what its lock file says; none of them writes one. */
function nodeInstall(names: ReadonlySet<string>): string {
  if (names.has('pnpm-lock.yaml')) return 'npx --yes pnpm@10 install --frozen-lockfile';
  if (names.has('yarn.lock')) return 'npx --yes yarn@1.22.22 install --frozen-lockfile --non-interactive';
  if (names.has('package-lock.json') || names.has('npm-shrinkwrap.json')) return 'npm ci --no-audit --no-fund';
  return 'npm install --no-package-lock --no-audit --no-fund';
}

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
