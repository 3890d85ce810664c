// How the packages of a Node.js project are installed, and by which package manager: exactly as its
// lock file says. Only npm is in the image; npx fetches the others. Pure.

/** Names in the root of the home, package.json, and how the lock file begins. */
export interface NodeProject {
  names: ReadonlySet<string>;
  packageJson: string;
  /** First kilobyte of pnpm-lock.yaml or yarn.lock, '' for neither. */
  lock: string;
}

/** The command that installs the packages. */
export function nodeInstall({ names, packageJson, lock }: NodeProject): string {
  if (names.has('pnpm-lock.yaml'))
    return `npx --yes pnpm@${pinned(packageJson, 'pnpm') ?? pnpmFor(lock)} install --frozen-lockfile`;
  if (names.has('yarn.lock')) return yarnInstall(pinned(packageJson, 'yarn'), lock);
  if (names.has('package-lock.json') || names.has('npm-shrinkwrap.json')) return 'npm ci --no-audit --no-fund';
  return 'npm install --no-package-lock --no-audit --no-fund';
}

/** Yarn 2 and later is another program and npm package, with `__metadata` in its lock file. */
function yarnInstall(version: string | null, lock: string): string {
  if (!/^__metadata:/m.test(lock)) {
    const classic = version?.startsWith('1.') ? version : '1.22.22';
    return `npx --yes yarn@${classic} install --frozen-lockfile --non-interactive`;
  }
  // Without node_modules, only `yarn node` would find the packages.
  return `YARN_NODE_LINKER=node-modules npx --yes @yarnpkg/cli-dist@${version ?? yarnFor(lock)} install --immutable`;
}

/** The version that the field `packageManager` ("pnpm@9.1.0+sha512.…") names for this manager. */
function pinned(packageJson: string, manager: string): string | null {
  try {
    const field: unknown = JSON.parse(packageJson)?.packageManager;
    const [, name, version] = /^(\w+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+|$)/.exec(String(field)) ?? [];
    return name === manager ? (version ?? null) : null;
  } catch {
    return null;
  }
}

/** The newest pnpm that reads a lock file of this version. */
function pnpmFor(lock: string): string {
  const version = Number(/^lockfileVersion: '?(\d+)/m.exec(lock)?.[1] ?? 9);
  if (version < 6) return '7';
  return version < 9 ? '8' : '10';
}

/** The newest Yarn that leaves a lock file of this version as it is. */
function yarnFor(lock: string): string {
  const version = Number(/^ {2}version: (\d+)/m.exec(lock)?.[1] ?? 10);
  if (version < 5) return '2';
  if (version < 8) return '3';
  return version < 9 ? '4.9.4' : '4';
}
