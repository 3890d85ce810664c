// Reads npm's lock file as far as public packages go: which archives a build of it wants, by hash and by their path at the
// registry. The text is a bot's and may say anything: what does not look exactly right is left out. Pure.

/** A package as the registry has it. */
export interface Tarball {
  /** SHA-512 of its bytes, in hex. */
  digest: string;
  /** Where it is below the address of the registry, e.g. `@scope/name/-/name-1.0.0.tgz`. */
  path: string;
}

/** The machine that packages are meant for, in npm's words. */
export interface Platform {
  os: string;
  cpu: string;
  libc: string;
}

/** What the lock file names as the source of a public package, whatever registry it is fetched from. */
const publicRegistry = 'https://registry.npmjs.org/';
const tarballsMax = 2000;
const name = '[A-Za-z0-9_~-][A-Za-z0-9._~-]*';
const tarballPath = new RegExp(`^(@${name}/)?${name}/-/[A-Za-z0-9_~-][A-Za-z0-9._~+-]*\\.tgz$`);
const sha512 = /^sha512-([A-Za-z0-9+/]{86}==)$/;
const longestPath = 500;

/**
 * The archives of a lock file (version 2 or 3) that are at `registry` (an address that ends with a slash) or at the
 * public one, for packages of this `platform`; each once, 2000 at most. Empty when the text is no lock file.
 */
export function tarballsOf(lock: string, registry: string, platform: Platform): Tarball[] {
  const found = new Map<string, Tarball>();
  for (const entry of Object.values(recordOf(recordOf(parsed(lock)).packages))) {
    const { resolved, integrity, os, cpu, libc } = recordOf(entry);
    const path = pathBelow(resolved, [registry, publicRegistry]);
    const [, base64] = sha512.exec(String(integrity)) ?? [];
    if (path === null || !base64) continue;
    if (!suits(os, platform.os) || !suits(cpu, platform.cpu) || !suits(libc, platform.libc)) continue;
    const digest = Buffer.from(base64, 'base64').toString('hex');
    found.set(digest, { digest, path });
    if (found.size >= tarballsMax) break;
  }
  return [...found.values()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // npm itself tells the owner what is wrong with it.
    return null;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function pathBelow(address: unknown, registries: string[]): string | null {
  if (typeof address !== 'string') return null;
  const registry = registries.find((candidate) => address.startsWith(candidate));
  if (registry === undefined) return null;
  const path = address.slice(registry.length);
  return path.length <= longestPath && tarballPath.test(path) ? path : null;
}

/** As npm decides: a list names what is wanted, or with `!` what is not; without a list everything suits. */
function suits(list: unknown, value: string): boolean {
  if (list === undefined) return true;
  const entries = (Array.isArray(list) ? list : [list]).map(String);
  if (entries.includes(`!${value}`)) return false;
  const wanted = entries.filter((entry) => !entry.startsWith('!'));
  return wanted.length === 0 || wanted.includes(value) || wanted.includes('any');
}
