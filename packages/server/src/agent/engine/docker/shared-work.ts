// Lets several callers share one piece of work and its progress. Results are not cached.
import type { Progress } from '../engine.ts';

interface Work {
  result: Promise<string>;
  listeners: Set<Progress>;
  lastText: string | null;
}

export class SharedWork {
  readonly #underWay = new Map<string, Work>();

  /** Joins the work called `key`, or begins it. A late listener receives the last text first. */
  run(key: string, listener: Progress, begin: (progress: Progress) => Promise<string>): Promise<string> {
    const present = this.#underWay.get(key);
    if (present) {
      present.listeners.add(listener);
      if (present.lastText !== null) listener(present.lastText);
      return present.result;
    }
    const work: Work = { result: Promise.resolve(''), listeners: new Set([listener]), lastText: null };
    this.#underWay.set(key, work);
    const report: Progress = (text) => {
      work.lastText = text;
      for (const each of work.listeners) each(text);
    };
    work.result = begin(report).finally(() => this.#underWay.delete(key));
    return work.result;
  }
}
