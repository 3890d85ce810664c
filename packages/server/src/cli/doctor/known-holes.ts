// Known container escapes, and the releases that fixed them. A distribution's package may have a
// fix that its version does not show.

interface Hole {
  component: 'runc' | 'containerd' | 'Engine';
  names: string;
  /** First fixed release of each release line that got one. */
  fixed: string[];
}

const holes: Hole[] = [
  { component: 'runc', names: 'CVE-2024-21626', fixed: ['1.1.12'] },
  {
    component: 'runc',
    names: 'CVE-2025-31133, CVE-2025-52565, CVE-2025-52881',
    fixed: ['1.2.8', '1.3.3', '1.4.0-rc.3'],
  },
  { component: 'runc', names: 'CVE-2026-41579', fixed: ['1.3.6', '1.4.3'] },
  { component: 'containerd', names: 'CVE-2024-25621', fixed: ['1.7.29', '2.0.7', '2.1.5', '2.2.0'] },
  { component: 'Engine', names: 'CVE-2024-29018', fixed: ['23.0.11', '25.0.5', '26.0.0'] },
  { component: 'Engine', names: 'CVE-2025-54410', fixed: ['25.0.13', '28.0.0'] },
];

/** Names of the vulnerabilities of a component's release, judged by its version alone. */
export function holesOf(component: string, version: string): string[] {
  return holes.filter((hole) => hole.component === component && isOpen(version, hole.fixed)).map(({ names }) => names);
}

/** Whether a distribution built this package, so that an older version may contain fixes. */
export function isDistributionBuild(version: string): boolean {
  return /[+~](ds|dfsg|deb|ubuntu|rhel)|ubuntu|\.(el|fc)\d|-r\d+$|-\d+(\.\d+)*\+?deb/i.test(version);
}

function isOpen(version: string, fixed: string[]): boolean {
  const seen = partsOf(version);
  // Without a version nothing is known.
  if (!seen) return false;
  const bounds = fixed.map(partsOf).filter((parts) => parts !== null);
  const ofLine = bounds.find(([major, minor]) => major === seen[0] && minor === seen[1]);
  const bound = ofLine ?? bounds.at(-1);
  return bound !== undefined && isBefore(seen, bound);
}

/** Major, minor, patch, release candidate; a release sorts after all its candidates. */
function partsOf(version: string): [number, number, number, number] | null {
  const [, major, minor, patch, candidate] = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-~]rc\.?(\d+))?/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return null;
  const last = candidate === undefined ? Number.POSITIVE_INFINITY : Number(candidate);
  return [Number(major), Number(minor), Number(patch ?? 0), last];
}

function isBefore(one: number[], other: number[]): boolean {
  for (const [at, part] of one.entries()) if (part !== other[at]) return part < (other[at] ?? 0);
  return false;
}
