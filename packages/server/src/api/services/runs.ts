// What callers may read about their bots' runs: when they began, and how they ended.
import type { Caller } from '../../core/domain/access.ts';
import type { Run, RunStore } from '../../core/store/runs.ts';
import type { BotsService } from '../../core/services/bots.ts';
import { numberCursor, numberOfCursor, type PageQuery } from '../../core/services/page.ts';

/** `count` is the total over all pages. */
export interface RunPage {
  runs: Run[];
  count: number;
  nextCursor: string | null;
}

interface Deps {
  bots: Pick<BotsService, 'own'>;
  runs: RunStore;
}

export class RunsService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One page, newest first. */
  async list(caller: Caller, botId: string, { limit, cursor }: PageQuery): Promise<RunPage> {
    const { id, observed } = await this.#deps.bots.own(caller, botId);
    const found = await this.#deps.runs.newest(id, numberOfCursor('r', cursor), limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      // The record gets its start time when the run ends; until then the observation has it.
      runs: page.map((run) => (run.exit || run.run !== observed.run ? run : { ...run, startedAt: observed.startedAt })),
      count: await this.#deps.runs.count(id),
      nextCursor: last && found.length > limit ? numberCursor('r', last.run) : null,
    };
  }
}
