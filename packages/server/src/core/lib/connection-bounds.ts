// How many connections are open: in all, and per address. When there is no room for one more, the one goes that has waited longest
// without work: junk makes room, whoever sends it. Must not know what the work is.
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Connections in all, and of one address. */
  most: number;
  perAddress: number;
}

export class ConnectionBounds {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, string | null>();
  readonly #perAddress = new Map<string, number>();
  /** Without work, the one that waits longest first. */
  readonly #idle = new Set<Socket>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** False: it was destroyed, as there is no room. `address`: what it is counted under; null = bound by the whole only. */
  admit(socket: Socket, address: string | null): boolean {
    const others = address === null ? 0 : (this.#perAddress.get(address) ?? 0);
    if (others >= this.#limits.perAddress || (this.#open.size >= this.#limits.most && !this.#makeRoom())) {
      socket.destroy();
      return false;
    }
    this.#open.set(socket, address);
    this.#idle.add(socket);
    if (address !== null) this.#perAddress.set(address, others + 1);
    socket.once('close', () => this.#remove(socket));
    return true;
  }

  /** It works, and stays. */
  hold(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** It waits from now on. */
  release(socket: Socket): void {
    if (!this.#open.has(socket)) return;
    this.#idle.delete(socket);
    this.#idle.add(socket);
  }

  /** Cuts it, and has its place at once. */
  end(socket: Socket): void {
    this.#remove(socket);
    socket.destroy();
  }

  #makeRoom(): boolean {
    const [longest] = this.#idle;
    if (!longest) return false;
    this.end(longest);
    return true;
  }

  #remove(socket: Socket): void {
    const address = this.#open.get(socket);
    if (!this.#open.delete(socket)) return;
    this.#idle.delete(socket);
    if (address === null || address === undefined) return;
    const left = (this.#perAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#perAddress.set(address, left);
    else this.#perAddress.delete(address);
  }
}
