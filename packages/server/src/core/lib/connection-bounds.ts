// Limits open connections; at the limit, the one that has been idle longest is closed.
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Maximum connections, in total and per address. */
  most: number;
  perAddress: number;
}

export class ConnectionBounds {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, string | null>();
  readonly #perAddress = new Map<string, number>();
  /** Idle connections, the longest idle first. */
  readonly #idle = new Set<Socket>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** False: no room; the socket was destroyed. `address`: its key; null = in total only. */
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

  /** Marks the connection as working: it is not closed to make room. */
  hold(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Marks the connection as idle. */
  release(socket: Socket): void {
    if (!this.#open.has(socket)) return;
    this.#idle.delete(socket);
    this.#idle.add(socket);
  }

  /** Closes the connection and frees its slot at once. */
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
