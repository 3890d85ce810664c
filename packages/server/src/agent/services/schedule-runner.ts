// Runs due schedules and records the results. A run is claimed from the store by one write,
// executed once, and closed; the next start closes runs left open by the end of the process. The
// actions: scheduled-actions.ts.
import { BotelError } from '../../core/domain/errors.ts';
import {
  cutOffText,
  dueRun,
  failedEvent,
  faultText,
  lateText,
  plannedAt,
  type Schedule,
} from '../../core/domain/schedule.ts';
import type { Clock } from '../../core/lib/clock.ts';
import { failpoint } from '../../core/lib/failpoint.ts';
import { KeyedQueue, type Lane } from '../../core/lib/keyed-queue.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { ScheduleStore } from '../../core/store/schedules.ts';
import type { ScheduledActions } from './scheduled-actions.ts';

const backupLane = { workers: 4, perOwner: 2 };
const callLane = { workers: 16, perOwner: 4 };

interface Deps {
  database: Database;
  schedules: ScheduleStore;
  bots: BotReader;
  events: EventStore;
  actions: Pick<ScheduledActions, 'perform'>;
  clock: Clock;
  /** Reports internal errors: no caller waits for a run. */
  report(error: unknown, scheduleId: string): void;
}

export class ScheduleRunner {
  readonly #deps: Deps;
  /** Backups of one bot wait for each other; nothing else waits for them. Keys are ids of bots. */
  readonly #backups: KeyedQueue<'due'>;
  readonly #calls: KeyedQueue<'due'>;
  /** Owners of the bots that had a due schedule at the last check. */
  #owners = new Map<string, string>();
  #closing = false;
  /** Of the last check; infinite before the first, which counts as after a clock change. */
  #checkedAt = Number.POSITIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
    const queue = (lane: Lane, isBackup: boolean) =>
      new KeyedQueue({
        lanes: { due: lane },
        ownerOf: (botId) => this.#owners.get(botId) ?? botId,
        work: (botId) => this.#runDue(botId, isBackup),
        onError: (botId, error) => deps.report(error, botId),
        now: () => deps.clock.now(),
      });
    this.#backups = queue(backupLane, true);
    this.#calls = queue(callLane, false);
  }

  /** Closes runs left open; plans an interrupted backup once more. Before the first check. */
  async recover(): Promise<void> {
    const { schedules } = this.#deps;
    for (const { id, scheduleId, dueAt, tries } of await schedules.unfinished()) {
      const schedule = await schedules.find(scheduleId);
      if (!schedule) continue;
      await this.#finish(schedule, id, cutOffText);
      if (schedule.enabled && schedule.action === 'backup' && tries === 1) await schedules.plan(schedule, dueAt);
    }
  }

  /** Starts the due runs; resolves when they are known, not when they are done. */
  async startDue(): Promise<void> {
    const { schedules, clock } = this.#deps;
    const now = clock.now();
    if (now < this.#checkedAt) await this.#planAnew(now);
    this.#checkedAt = now;
    const due = await schedules.due(now);
    this.#owners = new Map(due.map(({ botId, ownerId }) => [botId, ownerId]));
    for (const { botId, action } of due) {
      if (action === 'backup') this.#backups.add(botId, 'due');
      else this.#calls.add(botId, 'due');
    }
  }

  /** Resolves when no run is in progress. For tests. */
  async idle(): Promise<void> {
    await Promise.all([this.#backups.idle(), this.#calls.idle()]);
  }

  /** Starts no more runs and waits for those in progress; their service ends the backups. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#backups.stop(), this.#calls.stop()]);
  }

  /** After the clock went back, and after a start: plans that are too late move to their time. */
  async #planAnew(now: number): Promise<void> {
    const { schedules } = this.#deps;
    for (const schedule of await schedules.planned()) {
      const planned = plannedAt(schedule, now, schedule.lastDueAt);
      if (planned !== null && (schedule.nextRunAt === null || schedule.nextRunAt > planned))
        await schedules.plan(schedule, planned);
    }
  }

  async #runDue(botId: string, isBackup: boolean): Promise<void> {
    const { schedules, clock, report } = this.#deps;
    const all = await schedules.due(clock.now());
    for (const schedule of all) {
      if (this.#closing) return;
      if (schedule.botId !== botId || (schedule.action === 'backup') !== isBackup) continue;
      await this.#run(schedule).catch((error) => report(error, schedule.id));
    }
  }

  async #run(schedule: Schedule): Promise<void> {
    const { schedules, actions, clock, report } = this.#deps;
    const now = clock.now();
    const due = dueRun(schedule, now);
    const runId = due && (await schedules.claim(schedule, due, now));
    if (!due || runId === null) return;
    await failpoint('schedule.claimed');
    if (due.isLate) return this.#finish(schedule, runId, lateText(due.at));
    try {
      await actions.perform(schedule, due.at);
    } catch (error) {
      // The run stays open, and the next start sees that it was interrupted.
      if (this.#closing) return;
      // The schedule was deleted, and its record with it.
      if (!(await schedules.find(schedule.id))) return;
      const known = error instanceof BotelError && error.code !== 'internal';
      if (!known) report(error, schedule.id);
      return this.#finish(schedule, runId, known ? error.message : faultText);
    }
    await failpoint('schedule.done');
    await this.#finish(schedule, runId, null);
  }

  /** `error` null = success. Of consecutive failures of one kind only the first is reported. */
  async #finish(schedule: Schedule, runId: number, error: string | null): Promise<void> {
    const { database, schedules, bots, events, clock } = this.#deps;
    await database.transaction(async () => {
      await schedules.finish(runId, error);
      if (error === null) return;
      const [, before] = await schedules.runs(schedule.id, 2);
      const bot = before?.error === error ? null : await bots.find(schedule.botId);
      if (bot) await events.add(bot, failedEvent(schedule, error), { at: clock.now(), userId: null });
    });
  }
}
