// Throttles programs that write too fast: attaches to their output as a second reader, beside the
// engine's log, and reads it at the allowed rate. The engine passes output on to all readers or to
// none, so the program waits. Discards what it reads.
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutputThrottle, OutputRate } from '../engine.ts';
import type { DockerClient } from './client.ts';

const openDeadlineMs = 2_000;
const tickMs = 100;
/** Burst allowed after a pause. */
const burstMs = 500;
/** Bytes read from the connection's buffer at once. */
const portion = 4096;
const newline = 0x0a;

/** Number of processes and threads in a container; null when it is gone, or unknown. */
type CountProcesses = (containerId: string) => Promise<number | null>;

export class OutputThrottles {
  readonly #client: Pick<DockerClient, 'connect'>;
  readonly #processes: CountProcesses;
  readonly #held = new Map<string, Throttle>();

  constructor(client: Pick<DockerClient, 'connect'>, processes: CountProcesses) {
    this.#client = client;
    this.#processes = processes;
  }

  /** See Engine.throttleOutput; the container was seen running. Replaces its previous throttle. */
  async hold(containerId: string, rate: OutputRate): Promise<OutputThrottle> {
    const options = { query: { stream: true, stdout: true, stderr: true }, timeoutMs: openDeadlineMs };
    const connection = await this.#client.connect(`/containers/${containerId}/attach`, options);
    const throttle = new Throttle(connection, rate);
    this.release(containerId);
    this.#held.set(containerId, throttle);
    connection.once('close', () => {
      if (this.#held.get(containerId) === throttle) this.#held.delete(containerId);
    });
    void this.#watch(containerId, throttle);
    return throttle;
  }

  /** A blocked program gets no signal, and its end isn't reported before all output has passed. */
  release(containerId: string): void {
    this.#held.get(containerId)?.[Symbol.dispose]();
  }

  /** Releases the throttle of a container whose processes are gone. */
  async #watch(containerId: string, throttle: Throttle): Promise<void> {
    // Where processes can't be counted at all, their end can't be detected either.
    for (let seen = false; throttle.holds; ) {
      const count = await this.#processes(containerId);
      if (count) seen = true;
      else if (seen) return throttle[Symbol.dispose]();
      await delay(tickMs, undefined, { ref: false });
    }
  }
}

class Throttle implements OutputThrottle {
  readonly #connection: Duplex;
  readonly #rate: OutputRate;
  /** Bytes that may pass now; below zero after a portion of many lines. */
  #bytes = 0;
  #lines = 0;
  #filledAt = performance.now();
  #wasHeldBack = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(connection: Duplex, rate: OutputRate) {
    this.#connection = connection;
    this.#rate = rate;
    connection.on('error', () => connection.destroy());
    connection.once('end', () => connection.destroy());
    connection.once('close', () => clearTimeout(this.#timer ?? undefined));
    connection.on('readable', () => this.#timer ?? this.#pass());
  }

  get holds(): boolean {
    return !this.#connection.destroyed;
  }

  heldBack(): boolean {
    const was = this.#wasHeldBack || this.#timer !== null;
    this.#wasHeldBack = false;
    return was;
  }

  [Symbol.dispose](): void {
    this.#connection.destroy();
  }

  #pass(): void {
    this.#timer = null;
    this.#fill();
    while (this.#connection.readableLength > 0) {
      if (this.#bytes <= 0 || this.#lines <= 0) return this.#wait();
      const chunk = this.#connection.read(Math.min(portion, this.#connection.readableLength)) as Buffer | null;
      if (chunk === null) break;
      this.#bytes -= chunk.length;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) this.#lines--;
    }
    // Requests the next bytes, or the end.
    this.#connection.read(0);
  }

  #wait(): void {
    this.#wasHeldBack = true;
    this.#timer = setTimeout(() => this.#pass(), tickMs);
    this.#timer.unref();
  }

  #fill(): void {
    const now = performance.now();
    const passedMs = now - this.#filledAt;
    const { bytesPerSecond, linesPerSecond } = this.#rate;
    const filled = (left: number, perSecond: number) =>
      Math.min(left + (perSecond * passedMs) / 1000, (perSecond * burstMs) / 1000);
    this.#bytes = filled(this.#bytes, bytesPerSecond);
    this.#lines = filled(this.#lines, linesPerSecond);
    this.#filledAt = now;
  }
}
