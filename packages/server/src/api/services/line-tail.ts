// Reads stored lines for a live stream, at most one batch ahead of the reader.
import type { LogBatch, LogGap } from '../../core/logs/log-batch.ts';

/** `lines`: encoded lines, at least one. */
export type LineEvent = { kind: 'lines'; batch: LogBatch } | { kind: 'gap'; gap: LogGap };

interface Notify {
  ready(): void;
  fail(error: unknown): void;
}

export class LineTail {
  /** Sequence number of the last line handed out. */
  offset = -1;
  readonly #source: AsyncIterator<LogBatch | LogGap, void>;
  readonly #notify: Notify;
  #ahead: LogBatch | LogGap | null = null;

  constructor(source: AsyncIterator<LogBatch | LogGap, void>, notify: Notify) {
    this.#source = source;
    this.#notify = notify;
    void this.#pull();
  }

  /** The batch read ahead; null when there is none yet. */
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
