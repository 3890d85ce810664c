// The filter table of iptables as text: parses the current table, finds its faults, and writes the
// one atomic change that repairs them. Pure. Touches only chains and jumps of this bridge.
import { type Chains, deviceName, type Family, type RuleSet } from './rules.ts';

/** Rules per chain in order, each as listed but without `-A <chain>`. */
export type Table = ReadonlyMap<string, readonly string[]>;

/** An existing chain that sends bots' packets into ours. */
type Parent = 'INPUT' | 'FORWARD' | 'DOCKER-USER';

/** Parses the output of iptables-save for the filter table. */
export function parseTable(saved: string): Table {
  const chains = new Map<string, string[]>();
  for (const line of saved.split('\n')) {
    const declared = /^:(\S+) /.exec(line)?.[1];
    if (declared !== undefined) chains.set(declared, chains.get(declared) ?? []);
    const [, chain = '', rule = ''] = /^-A (\S+) (.*)$/.exec(line) ?? [];
    if (rule !== '') chains.set(chain, [...(chains.get(chain) ?? []), rule.trimEnd()]);
  }
  return chains;
}

const chainNames = (bridge: string) => ({
  in: `BOTEL-IN-${deviceName(bridge)}`,
  out: `BOTEL-OUT-${deviceName(bridge)}`,
});

/** Our chains as listed, for comparison with later listings; null when they don't exist. */
export function ownChains(table: Table, bridge: string): Chains | null {
  const names = chainNames(bridge);
  const [inside, outside] = [table.get(names.in), table.get(names.out)];
  return inside && outside ? { in: [...inside], out: [...outside] } : null;
}

/** Hash of the rules in force for this bridge; null when no jump leads into them. */
export function hashInForce(table: Table, bridge: string): string | null {
  const { index, rules } = findJump(table, 'INPUT', chainNames(bridge).in, bridge);
  return index < 0 ? null : (/botel:[0-9a-z-]+:([0-9a-f]+)/.exec(rules[index] ?? '')?.[1] ?? null);
}

/** The faults of a table, one sentence each. `known`: how it lists our chains when right. */
export function tableFaults(table: Table, set: RuleSet, family: Family, known: Chains | null): string[] {
  const { bridge } = set;
  const faults = [];
  const listed = ownChains(table, bridge);
  const expected = known ?? { in: set[family].in, out: set[family].out };
  if (!listed) faults.push(`${family}: the chains are missing`);
  else if (known ? !isSame(listed, known) : !hasSameLength(listed, expected)) {
    faults.push(`${family}: the rules in the chains were changed`);
  }
  const names = chainNames(bridge);
  const wanted: [Parent, string][] = [
    ['INPUT', names.in],
    [forwardParent(table), names.out],
  ];
  for (const [parent, chain] of wanted) {
    const { index, rules } = findJump(table, parent, chain, bridge);
    const before = rules.slice(0, Math.max(index, 0));
    if (index < 0) faults.push(`${family}: nothing leads from ${parent} into ${chain}`);
    else if (!(rules[index] ?? '').includes(`:${set.hash}"`)) faults.push(`${family}: the rules are of other settings`);
    else if (!before.every(isBotelJump))
      faults.push(`${family}: ${parent} has other rules before the jump into ${chain}`);
  }
  return faults;
}

/** Atomic input of `iptables-restore --noflush`. `tag`, in jumps: `botel:<install>:<hash>`. */
export function applyRules(table: Table, set: RuleSet, family: Family, tag: string): string {
  if (!/^botel:[0-9a-z-]{1,64}:[0-9a-f]{1,64}$/.test(tag)) throw new RangeError('the tag of the rules is not valid');
  const names = chainNames(set.bridge);
  const jump = (parent: Parent, chain: string) =>
    `-I ${parent} 1 -i ${set.bridge} -m comment --comment "${tag}" -j ${chain}`;
  return restoreText([
    `:${names.in} - [0:0]`,
    `:${names.out} - [0:0]`,
    ...oldJumps(table, set.bridge),
    ...set[family].in.map((rule) => `-A ${names.in} ${rule}`),
    ...set[family].out.map((rule) => `-A ${names.out} ${rule}`),
    jump('INPUT', names.in),
    jump(forwardParent(table), names.out),
  ]);
}

/** Input of `iptables-restore --noflush` that removes all of this bridge; null for nothing. */
export function removeRules(table: Table, bridge: string): string | null {
  const chains = Object.values(chainNames(bridge)).filter((name) => table.has(name));
  const lines = [
    ...oldJumps(table, bridge),
    ...chains.map((name) => `-F ${name}`),
    ...chains.map((name) => `-X ${name}`),
  ];
  return lines.length > 0 ? restoreText(lines) : null;
}

const restoreText = (lines: string[]) => ['*filter', ...lines, 'COMMIT', ''].join('\n');

/**
 * The engine reserves DOCKER-USER for rules like ours and evaluates it first. When it is missing,
 * or another rule comes first, ours go into FORWARD itself.
 */
function forwardParent(table: Table): 'DOCKER-USER' | 'FORWARD' {
  const first = (table.get('FORWARD') ?? []).find((rule) => !isBotelJump(rule));
  return table.has('DOCKER-USER') && first === '-j DOCKER-USER' ? 'DOCKER-USER' : 'FORWARD';
}

function findJump(table: Table, parent: Parent, chain: string, bridge: string) {
  const rules = table.get(parent) ?? [];
  const index = rules.findIndex((rule) => isJump(rule, bridge) && rule.endsWith(` ${chain}`));
  return { index, rules };
}

/** Deletes every jump of this bridge, exactly as it is listed. */
function oldJumps(table: Table, bridge: string): string[] {
  return [...table].flatMap(([chain, rules]) =>
    rules.filter((rule) => isJump(rule, bridge)).map((rule) => `-D ${chain} ${rule}`),
  );
}

const isJump = (rule: string, bridge: string) => jumpDevice(rule) === bridge;
const isBotelJump = (rule: string) => jumpDevice(rule) !== null;

/** Device of a jump that Botel created; null for any other rule. */
function jumpDevice(rule: string): string | null {
  const form = /^-i (\S+) -m comment --comment "botel:[0-9a-z-]+:[0-9a-f]+" -j BOTEL-(?:IN|OUT)-(\S+)$/;
  const [, device = null, suffix] = form.exec(rule) ?? [];
  return device === suffix ? device : null;
}

const isSame = (one: Chains, other: Chains) =>
  one.in.join('\n') === other.in.join('\n') && one.out.join('\n') === other.out.join('\n');
const hasSameLength = (one: Chains, other: Chains) =>
  one.in.length === other.in.length && one.out.length === other.out.length;
