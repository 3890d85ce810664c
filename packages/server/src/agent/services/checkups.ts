// Checkups of the machine: one at a time, shared by all requests within a few seconds.
import type { DoctorCheck, FindingState } from '@botel/contract/vocabulary';
import type { Clock } from '../../core/lib/clock.ts';

const freshMs = 3_000;

interface Found {
  check: DoctorCheck;
  state: FindingState;
  text: string;
  advice?: string;
}

/** `at` is ms since the epoch. */
export interface Checkup {
  findings: Found[];
  at: number;
}

/** `findings` resolves within its own time limit; `ended` once nothing of the checkup is left. */
export type Examine = () => { findings: Promise<Found[]>; ended: Promise<void> };

export class CheckupsService {
  readonly #examine: Examine;
  readonly #clock: Clock;
  #last: Checkup | null = null;
  #running: Promise<Checkup> | null = null;

  constructor(examine: Examine, clock: Clock) {
    this.#examine = examine;
    this.#clock = clock;
  }

  /** Joins a checkup in progress. */
  async check(): Promise<Checkup> {
    if (this.#running) return this.#running;
    if (this.#last && this.#clock.now() - this.#last.at < freshMs) return this.#last;
    const { findings, ended } = this.#examine();
    this.#running = this.#keep(findings);
    void this.#forget(ended);
    return this.#running;
  }

  async #keep(findings: Promise<Found[]>): Promise<Checkup> {
    this.#last = { findings: await findings, at: this.#clock.now() };
    return this.#last;
  }

  async #forget(ended: Promise<void>): Promise<void> {
    await ended;
    this.#running = null;
  }
}
