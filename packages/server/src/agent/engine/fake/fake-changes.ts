// One reader's stream of wake-ups: bounded, and as unreliable as its faults define.
import { type EngineChange, EngineError } from '../engine.ts';
import type { FakeContainer } from './fake-container.ts';
import type { FakeFaults } from './fake-faults.ts';
import type { FakeMachine } from './fake-machine.ts';

/** Wake-ups beyond this are dropped, as an engine does with a slow listener. */
const maxWaiting = 256;

export class FakeChanges {
  readonly #waiting: EngineChange[] = [];
  readonly #leave: () => void;
  #broken = false;
  #wake = () => {};

  constructor(machine: FakeMachine, installId: string, faults: FakeFaults) {
    const take = (change: EngineChange) => {
      if (this.#waiting.length < maxWaiting) this.#waiting.push(change);
      this.#wake();
    };
    this.#leave = machine.listen({
      changed(container: FakeContainer, change: EngineChange) {
        if (container.installId !== installId) return;
        for (const delayMs of faults.deliveries(change)) {
          if (delayMs <= 0) take(change);
          else machine.clock.after(delayMs, () => take(change));
        }
      },
      engineStopped: () => {
        this.#broken = true;
        this.#wake();
      },
    });
  }

  /** Wake-ups until `signal` aborts; rejects with `unavailable` when the engine goes down. */
  async *read(signal: AbortSignal): AsyncGenerator<EngineChange, void, void> {
    const onAbort = () => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const change = this.#waiting.shift();
        if (change) yield change;
        else if (this.#broken) throw new EngineError('unavailable', 'The connection to the engine was cut');
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the subscription. */
  close(): void {
    this.#leave();
  }
}
