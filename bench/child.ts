// A part of a measurement in a process of its own, so that it does not share a processor with what
// it measures: orders go in as messages, one answer each comes back.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';

export class Child<Order, Answer> implements Disposable {
  readonly #child: ChildProcess;

  /** `file` is below bench/. */
  constructor(file: string) {
    this.#child = fork(checkoutPath(`bench/${file}`));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask(order: Order): Promise<Answer> {
    const ended = new AbortController();
    const { signal } = ended;
    const answer = once(this.#child, 'message', { signal });
    const exit = once(this.#child, 'exit', { signal }).then(([code]) => {
      throw new Error(`A part of the measurement ended with ${code}`);
    });
    this.#child.send(order as object);
    try {
      return ((await Promise.race([answer, exit])) as [Answer])[0];
    } finally {
      answer.catch(() => undefined);
      exit.catch(() => undefined);
      ended.abort();
    }
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** In the child: answers every order by `work`, one after the other. */
export function answerOrders<Order, Answer>(work: (order: Order) => Promise<Answer>): void {
  process.on('message', (order) => {
    void work(order as Order).then((answer) => process.send?.(answer));
  });
  process.on('disconnect', () => process.exit());
}
