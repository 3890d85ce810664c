// Live stream of requests to an app. Polls: the gateway may write them in another process.
import type { LogEndReason } from '@botel/contract/vocabulary';
import type { Caller } from '../../core/domain/access.ts';
import type { AccessLine } from '../../core/domain/log-line.ts';
import type { LineStore, TailStart } from '../../core/logs/line-store.ts';
import { type LineEvent, LineTail } from './line-tail.ts';
import { LiveStream, type LiveStreamDeps } from './live-stream.ts';

const pollMs = 500;

interface Deps extends LiveStreamDeps {
  lines: Pick<LineStore<AccessLine>, 'tail' | 'noteCommitted'>;
}

interface Subject {
  appId: string;
  isThere(): Promise<boolean>;
}

export class AccessStream extends LiveStream<LineEvent, LogEndReason> {
  readonly #deps: Deps;
  readonly #subject: Subject;
  readonly #start: TailStart;
  #tail: LineTail | null = null;

  constructor(deps: Deps, caller: Caller, subject: Subject, start: TailStart) {
    super(deps, caller);
    this.#deps = deps;
    this.#subject = subject;
    this.#start = start;
    this.every(pollMs, () => deps.lines.noteCommitted(subject.appId));
  }

  protected begin(): LineEvent[] {
    const source = this.#deps.lines.tail(this.#subject.appId, this.#start, { signal: this.signal });
    this.#tail = new LineTail(source, { ready: () => this.notify(), fail: (error) => this.fail(error) });
    return [];
  }

  protected next(): Iterable<LineEvent> | null {
    return this.#tail?.next() ?? null;
  }

  protected async check(): Promise<void> {
    if (!(await this.#subject.isThere())) this.end('deleted');
  }
}
