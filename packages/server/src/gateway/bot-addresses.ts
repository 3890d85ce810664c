// Which addresses can be bots: those of the bots' bridge on this machine, except the machine's own.
// Refreshed from time to time, as the first bot creates the bridge.
import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../core/lib/clock.ts';

const refreshMs = 1000;

export class BotAddresses {
  readonly #bridge: string;
  readonly #clock: Clock;
  readonly #interfaces: typeof networkInterfaces;
  #range = new BlockList();
  #own = new Set<string>();
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(bridge: string, clock: Clock, interfaces = networkInterfaces) {
    this.#bridge = bridge;
    this.#clock = clock;
    this.#interfaces = interfaces;
  }

  has(address: string): boolean {
    if (!isIPv4(address)) return false;
    if (Math.abs(this.#clock.now() - this.#checkedAt) >= refreshMs) this.#refresh();
    return this.#range.check(address, 'ipv4') && !this.#own.has(address);
  }

  #refresh(): void {
    this.#checkedAt = this.#clock.now();
    this.#range = new BlockList();
    this.#own = new Set();
    for (const [device, addresses] of Object.entries(this.#interfaces()))
      for (const { family, address, cidr } of addresses ?? []) {
        this.#own.add(address);
        const [, prefix] = cidr?.split('/') ?? [];
        if (device === this.#bridge && family === 'IPv4' && prefix !== undefined)
          this.#range.addSubnet(address, Number(prefix), 'ipv4');
      }
  }
}
