// The tables `schedules` and `schedule_runs`. One conditional write claims a due run.
import { type Selectable, sql } from 'kysely';
import { type DueRun, runsKept, type Schedule, type ScheduleRun } from '../domain/schedule.ts';
import { Topic } from '../lib/topic.ts';
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';
import type { ScheduleRunTable, ScheduleTable } from './schema.ts';

/** A schedule with its newest run. */
export interface KnownSchedule extends Schedule {
  lastRun: ScheduleRun | null;
}

export type ScheduleChange = Partial<
  Pick<Schedule, 'name' | 'cron' | 'timezone' | 'action' | 'keep' | 'enabled' | 'nextRunAt'>
>;

/** `ownerId`: owner of its bot. */
export type DueSchedule = Schedule & { ownerId: string };

export class ScheduleStore extends Store {
  /** Published when an unscheduled run of this schedule (key: its id) is requested. */
  readonly asked = new Topic();

  async insert(schedule: Omit<Schedule, 'askedAt'>): Promise<void> {
    await this.db.insertInto('schedules').values(toColumns(schedule)).execute();
  }

  async find(id: string): Promise<KnownSchedule | null> {
    const row = await this.db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? { ...toSchedule(row), lastRun: (await this.runs(id, 1))[0] ?? null } : null;
  }

  /** The bot's schedules, newest first. */
  async ofBot(botId: string): Promise<KnownSchedule[]> {
    const rows = await this.db
      .selectFrom('schedules')
      .selectAll()
      .where('bot_id', '=', botId)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    const known: KnownSchedule[] = [];
    for (const row of rows) known.push({ ...toSchedule(row), lastRun: (await this.runs(row.id, 1))[0] ?? null });
    return known;
  }

  async update(id: string, change: ScheduleChange, now: number): Promise<void> {
    await this.db
      .updateTable('schedules')
      .set({ ...toColumns(change), updated_at: now })
      .where('id', '=', id)
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.db.deleteFrom('schedules').where('id', '=', id).execute();
  }

  /** Requests an unscheduled run. */
  async ask(id: string, now: number): Promise<void> {
    await this.db.updateTable('schedules').set({ asked_at: now }).where('id', '=', id).execute();
    this.database.onCommit(() => this.asked.publish(id));
  }

  /** Schedules due at `now`, the longest due first; excludes those of deleted bots. */
  async due(now: number): Promise<DueSchedule[]> {
    const rows = await this.db
      .selectFrom('schedules')
      .innerJoin('bots', 'bots.id', 'schedules.bot_id')
      .selectAll('schedules')
      .select('bots.owner_id')
      .where('bots.desired', '!=', 'deleted')
      .where((where) => where.or([where('next_run_at', '<=', now), where('asked_at', 'is not', null)]))
      .orderBy('next_run_at')
      .execute();
    return rows.map((row) => ({ ...toSchedule(row), ownerId: row.owner_id }));
  }

  /** All enabled schedules, with the time that the newest run of each was for. */
  async planned(): Promise<(Schedule & { lastDueAt: number | null })[]> {
    const rows = await this.db
      .selectFrom('schedules')
      .selectAll()
      .select((select) =>
        select
          .selectFrom('schedule_runs')
          .select((of) => of.fn.max<number | null>('due_at').as('due_at'))
          .whereRef('schedule_id', '=', 'schedules.id')
          .as('last_due_at'),
      )
      .where('enabled', '=', 1)
      .execute();
    return rows.map((row) => ({ ...toSchedule(row), lastDueAt: row.last_due_at }));
  }

  /** Sets the next run, unless the schedule changed meanwhile. */
  async plan(schedule: Schedule, nextRunAt: number): Promise<void> {
    await this.#unchanged(schedule).set({ next_run_at: nextRunAt }).execute();
  }

  /** Opens the record of a due run; null when it was already claimed or the schedule changed. */
  async claim(schedule: Schedule, run: DueRun, now: number): Promise<number | null> {
    return this.database.transaction(async () => {
      const taken = await this.#unchanged(schedule)
        .set({ next_run_at: run.nextRunAt, asked_at: null })
        .executeTakeFirst();
      if (taken.numUpdatedRows === 0n) return null;
      const { id } = await this.db
        .insertInto('schedule_runs')
        .values({ schedule_id: schedule.id, due_at: run.at, at: now, ok: null, error: null })
        .returning('id')
        .executeTakeFirstOrThrow();
      await this.#pruneRuns(schedule.id);
      return id;
    });
  }

  /** Closes the record of a run; `error` null = success. */
  async finish(runId: number, error: string | null): Promise<void> {
    const ok = error === null ? 1 : 0;
    await this.db.updateTable('schedule_runs').set({ ok, error }).where('id', '=', runId).execute();
  }

  /** The newest runs, newest first. */
  async runs(scheduleId: string, limit: number): Promise<ScheduleRun[]> {
    const rows = await this.db
      .selectFrom('schedule_runs')
      .selectAll()
      .where('schedule_id', '=', scheduleId)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toRun);
  }

  /** Runs without a recorded end; `tries` counts the runs for the same time. */
  async unfinished(): Promise<{ id: number; scheduleId: string; dueAt: number; tries: number }[]> {
    const rows = await this.db
      .selectFrom('schedule_runs as run')
      .select(['run.id', 'run.schedule_id', 'run.due_at'])
      .select((select) =>
        select
          .selectFrom('schedule_runs as same')
          .select((of) => of.fn.countAll<number>().as('tries'))
          .whereRef('same.schedule_id', '=', 'run.schedule_id')
          .whereRef('same.due_at', '=', 'run.due_at')
          .as('tries'),
      )
      .where('run.ok', 'is', null)
      .execute();
    return rows.map((row) => ({ ...fromColumns(row), tries: Number(row.tries) }));
  }

  /** Updates the schedule only if it is unchanged since it was read. */
  #unchanged({ id, nextRunAt, askedAt, updatedAt }: Schedule) {
    return this.db
      .updateTable('schedules')
      .where('id', '=', id)
      .where(sql<boolean>`next_run_at is ${nextRunAt} and asked_at is ${askedAt} and updated_at = ${updatedAt}`);
  }

  async #pruneRuns(scheduleId: string): Promise<void> {
    await this.db
      .deleteFrom('schedule_runs')
      .where('schedule_id', '=', scheduleId)
      .where('id', 'not in', (select) =>
        select
          .selectFrom('schedule_runs')
          .select('id')
          .where('schedule_id', '=', scheduleId)
          .orderBy('id', 'desc')
          .limit(runsKept),
      )
      .execute();
  }
}

function toSchedule(row: Selectable<ScheduleTable>): Schedule {
  return { ...fromColumns(row), enabled: row.enabled === 1 };
}

function toRun(row: Selectable<ScheduleRunTable>): ScheduleRun {
  return { at: row.at, ok: row.ok === null ? null : row.ok === 1, error: row.error };
}
