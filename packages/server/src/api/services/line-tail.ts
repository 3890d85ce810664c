// Stored lines for a live stream: one batch is read ahead of the reader, no more.
import type { LogBatch, LogGap } from '../../core/logs/log-batch.ts';

/** `lines`: encoded lines, at least one. */
export type LineEvent = { kind: 'lines'; batch: LogBatch } | { kind: 'gap'; gap: LogGap };

interface Notify {
  ready(): void;
  fail(error: unknown): void;
}

export class LineTail {
  /** Sequence number up to which lines were handed out. */
  offset = -1;
  readonly #source: AsyncIterator<LogBatch | LogGap, void>;
  readonly #notify: Notify;
  #ahead: LogBatch | LogGap | null = null;

  constructor(source: AsyncIterator<LogBatch | LogGap, void>, notify: Notify) {
    this.#source = source;
    this.#notify = notify;
    void this.#pull();
  }

  /** What was read ahead, null when nothing is there yet. */
  next(): Iterable<LineEvent> | null {
    return this.#ahead && this.#take(this.#ahead);
  }

  *#take(next: LogBatch | LogGap): Generator<LineEvent, void> {
    this.#ahead = null;
    if (next.kind === 'gap') yield { kind: 'gap', gap: next };
    else if (next.lines.length > 0) yield { kind: 'lines', batch: next };
    this.offset = next.kind === 'gap' ? next.to : next.last;
    void this.#pull();
  }

  async #pull(): Promise<void> {
    try {
      const { value } = await this.#source.next();
      this.#ahead = value ?? null;
      this.#notify.ready();
    } catch (error) {
      this.#notify.fail(error);
    }
  }
}
