// Keeps the bots' network closed: compares the firewall, the kernel's switches and the ports of the
// bridge with the policy and repairs differences. Checked before each start of a bot.
import type { FileLock } from '../../core/lib/file-lock.ts';
import { bridgeExists, closedSwitch, isolatePorts, openSwitch } from './bridge-ports.ts';
import { type Chains, type Family, type NetworkPolicy, type RuleSet, renderRules } from './rules.ts';
import { applyRules, hashInForce, ownChains, tableFaults } from './table.ts';
import type { Tables } from './tables.ts';

/** The firewall, for callers that start bots. */
export interface NetworkGuard {
  /** Why no bot may be started, for the operator; null when all is well. Repairs first. */
  fault(): Promise<string | null>;
  /** Result of the last check; undefined before the first. */
  readonly lastFault: string | null | undefined;
  /** A bot was started: isolates its port of the bridge from the others. */
  isolateBridgePorts(): Promise<void>;
  /** Checks everything and repairs it. Never rejects. */
  check(): Promise<void>;
  /** The engine was away: earlier checks don't count. */
  forget(): void;
  /** Resolves when no check is in progress; the network stays closed. */
  close(): Promise<void>;
}

/** Where nothing is guarded: the fake engine, and operators with their own firewall. */
export const noGuard: NetworkGuard = {
  fault: async () => null,
  lastFault: null,
  isolateBridgePorts: async () => {},
  check: async () => {},
  forget() {},
  close: async () => {},
};

export interface FirewallOptions {
  tables: Tables;
  /** The policy to enforce now; rejects while the engine does not report the network. */
  policy(): Promise<NetworkPolicy>;
  installId: string;
  /** Null while another process holds it: of Botels sharing a bridge, the first keeps its rules. */
  lock(): FileLock | null;
  /** Reports a repair, or a failure to repair. */
  report(level: 'info' | 'warn' | 'error', fields: object, message: string): void;
}

export class Firewall implements NetworkGuard {
  readonly #options: FirewallOptions;
  /** Our chains as the kernel lists them; known once this process has created them. */
  readonly #listed = new Map<Family, Chains>();
  /** Ports of the bridge that this process has isolated. */
  #ports = new Set<string>();
  #hash = '';
  #bridge: string | null = null;
  #lock: FileLock | null = null;
  #lastFault: string | null | undefined;
  /** False until the first successful check creates the rules: no others changed them so far. */
  #wasRight = false;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

  constructor(options: FirewallOptions) {
    this.#options = options;
  }

  get lastFault(): string | null | undefined {
    return this.#lastFault;
  }

  async fault(): Promise<string | null> {
    if (this.#lastFault !== null) await this.check();
    return this.#lastFault ?? null;
  }

  async isolateBridgePorts(): Promise<void> {
    if (this.#bridge) await this.#isolate(this.#bridge);
  }

  forget(): void {
    this.#lastFault = undefined;
  }

  /** Runs one check at a time; callers share the next one, which begins after their call. */
  check(): Promise<void> {
    this.#queued ??= this.#running.then(() => {
      this.#queued = null;
      this.#running = this.#checkNow();
      return this.#running;
    });
    return this.#queued;
  }

  async close(): Promise<void> {
    await this.#queued;
    await this.#running;
    this.#lock?.release();
    this.#lock = null;
  }

  async #checkNow(): Promise<void> {
    const { report } = this.#options;
    const before = this.#lastFault;
    try {
      const set = renderRules(await this.#options.policy());
      const repaired = await this.#repair(set);
      const fields = { bridge: set.bridge, rules: set.hash };
      if (!this.#wasRight) report('info', fields, "the bots' network is closed");
      else if (repaired.length > 0) report('warn', { ...fields, repaired }, "the bots' network was open; it is closed");
      this.#wasRight = true;
      this.#lastFault = null;
    } catch (error) {
      this.#lastFault = (error as Error).message;
      if (this.#lastFault !== before) {
        report('error', { err: error }, "the bots' network can't be closed: no bot is started");
      }
    }
  }

  /** Returns the faults that it repaired. Rejects when one remains. */
  async #repair(set: RuleSet): Promise<string[]> {
    this.#bridge = set.bridge;
    if (set.hash !== this.#hash) this.#listed.clear();
    this.#hash = set.hash;
    if (!bridgeExists(set.bridge)) throw new Error(`This machine has no bridge ${set.bridge}`);
    const found = await this.#faults(set);
    if (found.length > 0) {
      for (const family of this.#options.tables.families()) await this.#apply(family, set);
      await openSwitch();
      const left = await this.#faults(set);
      if (left.length > 0) throw new Error(left.join('; '));
    }
    const reopened = await this.#isolate(set.bridge);
    return [...found, ...reopened.map((port) => `the port ${port} was not isolated`)];
  }

  /** Returns the ports that lost their isolation; that of a newly started bot has none at first. */
  async #isolate(bridge: string): Promise<string[]> {
    const { ports, unisolated } = await isolatePorts(bridge);
    const lost = unisolated.filter((port) => this.#ports.has(port));
    this.#ports = new Set(ports);
    return lost;
  }

  async #faults(set: RuleSet): Promise<string[]> {
    const { tables } = this.#options;
    const faults = [];
    for (const family of tables.families()) {
      const known = this.#listed.get(family) ?? null;
      if (!known) faults.push(`${family}: the rules were not made by this process`);
      else faults.push(...tableFaults(await tables.read(family), set, family, known));
    }
    const closed = await closedSwitch();
    if (closed) faults.push(`${closed} is not 1`);
    return faults;
  }

  async #apply(family: Family, set: RuleSet): Promise<void> {
    const { tables, installId } = this.#options;
    this.#lock ??= this.#options.lock();
    const table = await tables.read(family);
    const hash = hashInForce(table, set.bridge);
    if (!this.#lock && hash !== null && hash !== set.hash) {
      throw new Error(
        `Another Botel with other settings keeps the network ${set.bridge}: choose another BOTEL_NETWORK`,
      );
    }
    const known = this.#listed.get(family);
    if (known && tableFaults(table, set, family, known).length === 0) return;
    await tables.restore(family, applyRules(table, set, family, `botel:${installId}:${set.hash}`));
    const after = await tables.read(family);
    const faults = tableFaults(after, set, family, null);
    const listed = ownChains(after, set.bridge);
    if (faults.length > 0 || !listed) throw new Error(faults.join('; '));
    this.#listed.set(family, listed);
  }
}
