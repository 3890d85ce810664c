// The public packages in npm's lock file: hash and registry path of each archive. The text comes
// from a bot, so malformed entries are skipped. Pure.

/** An archive as the registry has it. */
export interface Tarball {
  /** SHA-512 of its bytes, in hex. */
  digest: string;
  /** Path below the registry's address, e.g. `@scope/name/-/name-1.0.0.tgz`. */
  path: string;
}

/** The platform that packages are built for, in npm's terms. */
export interface Platform {
  os: string;
  cpu: string;
  libc: string;
}

/** The source that lock files name for public packages, whichever registry serves them. */
const publicRegistry = 'https://registry.npmjs.org/';
const tarballsMax = 2000;
const name = '[A-Za-z0-9_~-][A-Za-z0-9._~-]*';
const tarballPath = new RegExp(`^(@${name}/)?${name}/-/[A-Za-z0-9_~-][A-Za-z0-9._~+-]*\\.tgz$`);
const sha512 = /^sha512-([A-Za-z0-9+/]{86}==)$/;
const longestPath = 500;

/**
 * Archives in a lock file (version 2 or 3) at `registry` (ends with a slash) or the public one, for
 * this `platform`; at most 2000. Empty when the text is no lock file.
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
    // npm reports the fault to the owner.
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

/** As npm decides: a list names accepted values, or with `!` rejected ones; no list accepts all. */
function suits(list: unknown, value: string): boolean {
  if (list === undefined) return true;
  const entries = (Array.isArray(list) ? list : [list]).map(String);
  if (entries.includes(`!${value}`)) return false;
  const wanted = entries.filter((entry) => !entry.startsWith('!'));
  return wanted.length === 0 || wanted.includes(value) || wanted.includes('any');
}
