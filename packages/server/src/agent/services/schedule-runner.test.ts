// The runner on a real store and a test clock: each due run happens once, whatever happens to clock
// and process.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fail } from '../../core/domain/errors.ts';
import type { Schedule } from '../../core/domain/schedule.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { TextCipher } from '../../core/lib/text-cipher.ts';
import { aBot } from '../../../test/support/sample-bot.ts';
import { BotStore } from '../../core/store/bots.ts';
import { ObservationStore } from '../../core/store/observations.ts';
import { Database } from '../../core/store/database.ts';
import { EventStore } from '../../core/store/events.ts';
import { insertOwner } from '../../../test/support/sample-owner.ts';
import { ScheduleStore } from '../../core/store/schedules.ts';
import { ScheduleRunner } from './schedule-runner.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const midnight = Date.UTC(2026, 0, 1);
const bot = aBot();

async function setUp(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-schedules-'));
  const database = await Database.open(directory, 'OFF');
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  await insertOwner(database);
  const bots = new BotStore(database, new TextCipher(Buffer.alloc(32)));
  await bots.insert({ ...aBot(), environment: {} });
  const [clock, schedules, events] = [new ManualClock(midnight), new ScheduleStore(database), new EventStore(database)];
  const performed: string[] = [];
  const world = {
    perform: async (schedule: Schedule, at: number): Promise<void> => {
      performed.push(`${schedule.name} ${new Date(at).toISOString().slice(5, 16)}`);
    },
  };
  const makeRunner = () =>
    new ScheduleRunner({
      database,
      schedules,
      bots,
      events,
      actions: { perform: (schedule, at) => world.perform(schedule, at) },
      clock,
      report: (error) => performed.push(`reported ${(error as Error).message}`),
    });
  const runner = makeRunner();
  return {
    database,
    bots,
    clock,
    schedules,
    performed,
    world,
    runner,
    makeRunner,
    /** A daily backup at 03:00 by default. */
    add: async (more: Partial<Schedule> = {}) => {
      const id = crypto.randomUUID();
      const usual = { name: 'nightly', cron: '0 3 * * *', timezone: 'UTC', action: 'backup', keep: null } as const;
      const times = { nextRunAt: midnight + 3 * hour, createdAt: 0, updatedAt: 0 };
      await schedules.insert({ ...usual, ...times, id, botId: bot.id, enabled: true, ...more });
      return id;
    },
    look: async (by: ScheduleRunner = runner) => {
      await by.startDue();
      await by.idle();
    },
    events: async () =>
      (await events.newest({ ownerId: 'owner' }, null, 10)).map(({ type, message, actor }) => [
        type,
        message,
        actor.kind,
      ]),
  };
}

/** Runs everything that is ready to run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a run comes at its time, once, and leaves a record', async (t) => {
  const { clock, look, add, performed, schedules } = await setUp(t);
  const id = await add();
  clock.advance(3 * hour - 1);
  await look();
  assert.deepEqual(performed, []);
  clock.advance(4000);
  await look();
  await look();
  assert.deepEqual(performed, ['nightly 01-01T03:00']);
  const at = midnight + 3 * hour + 3999;
  assert.deepEqual(await schedules.runs(id, 9), [{ at, ok: true, error: null }]);
  assert.equal((await schedules.find(id))?.nextRunAt, midnight + day + 3 * hour);
});

test('two that look at the same time take a run once', async (t) => {
  const { clock, look, add, performed, makeRunner } = await setUp(t);
  for (let count = 0; count < 5; count++) await add({ name: String(count) });
  clock.advance(3 * hour);
  await Promise.all([look(), look(makeRunner()), look(makeRunner())]);
  assert.deepEqual(
    performed.toSorted(),
    ['0', '1', '2', '3', '4'].map((name) => `${name} 01-01T03:00`),
  );
});

test('runs that were missed are made up for by one, or skipped with a record and an event', async (t) => {
  const { clock, look, add, performed, schedules, events } = await setUp(t);
  await add({ name: 'every minute', cron: '* * * * *' });
  const daily = await add();
  await add({ name: 'starts', cron: '0 * * * *', action: 'start' });
  clock.advance(4 * hour + 30 * minute);
  await look();
  assert.deepEqual(performed, ['every minute 01-01T04:30']);
  const error = 'Skipped: it was due at 2026-01-01T03:00:00.000Z';
  assert.deepEqual(await schedules.runs(daily, 9), [{ at: clock.now(), ok: false, error }]);
  assert.deepEqual((await events()).toSorted(), [
    ['schedule.failed', `Schedule "nightly": ${error}`, 'system'],
    ['schedule.failed', 'Schedule "starts": Skipped: it was due at 2026-01-01T04:00:00.000Z', 'system'],
  ]);
  clock.advance(23 * hour);
  await look();
  assert.deepEqual(performed.slice(1).toSorted(), ['every minute 01-02T03:30', 'nightly 01-02T03:00']);
});

test('what fails is told in a record and an event, faults of ours in plain words and in the log', async (t) => {
  const { clock, look, add, world, schedules, performed, events } = await setUp(t);
  const id = await add({ cron: '0 * * * *' });
  for (const error of [fail.backupLimit(8, 8), new Error('secret detail')]) {
    world.perform = () => Promise.reject(error);
    clock.advance(3 * hour);
    await look();
  }
  const errors = (await schedules.runs(id, 9)).map(({ error }) => error);
  assert.deepEqual(errors, ['Something went wrong on the server', 'Backup limit reached: 8 of 8']);
  const told = (await events()).map(([, message]) => message);
  assert.deepEqual(
    told,
    errors.map((error) => `Schedule "nightly": ${error}`),
  );
  assert.deepEqual(performed, ['reported secret detail']);
});

test('a failure that comes again and again is recorded each time and told once', async (t) => {
  const { clock, look, add, world, schedules, events } = await setUp(t);
  const id = await add({ cron: '0 * * * *' });
  const plain = world.perform;
  for (const goesWell of [false, false, false, true, false]) {
    world.perform = goesWell ? plain : () => Promise.reject(fail.backupLimit(8, 8));
    clock.advance(3 * hour);
    await look();
  }
  assert.deepEqual(
    (await schedules.runs(id, 9)).map(({ ok }) => ok),
    [false, true, false, false, false],
  );
  assert.equal((await events()).length, 2);
});

test('a long run holds up nothing but backups of its bot, and is followed by one run however long it took', async (t) => {
  const { clock, look, add, world, performed, runner } = await setUp(t);
  await add({ name: 'long', cron: '* * * * *' });
  await add({ name: 'other' });
  await add({ name: 'restart', action: 'restart' });
  const [plain, gate] = [world.perform, Promise.withResolvers<void>()];
  world.perform = async (schedule, at) => {
    await plain(schedule, at);
    if (schedule.name === 'long') await gate.promise;
  };
  clock.advance(3 * hour);
  await runner.startDue();
  while (performed.length < 2) await turn();
  assert.deepEqual(performed.toSorted(), ['long 01-01T03:00', 'restart 01-01T03:00']);
  clock.advance(10 * minute);
  await runner.startDue();
  gate.resolve();
  await runner.idle();
  assert.deepEqual(performed.slice(2).toSorted(), ['long 01-01T03:10', 'other 01-01T03:00']);
  await look();
  assert.equal(performed.length, 4);
});

test('a run that the end of the process cut off is recorded; a backup comes once more, not twice', async (t) => {
  const { clock, look, add, world, schedules, makeRunner, performed } = await setUp(t);
  const id = await add();
  const kill = await add({ action: 'kill' });
  const plain = world.perform;
  clock.advance(3 * hour);
  for (let start = 0; start < 2; start++) {
    const gate = Promise.withResolvers<void>();
    let under = 0;
    world.perform = () => {
      under++;
      return gate.promise;
    };
    const dying = makeRunner();
    await dying.recover();
    await dying.startDue();
    while (under < 2 - start) await turn();
    const end = dying.close();
    gate.reject(new Error('aborted'));
    await end;
    clock.advance(minute);
  }
  world.perform = plain;
  const next = makeRunner();
  await next.recover();
  await look(next);
  assert.deepEqual(performed, []);
  const cutOff = { ok: false, error: 'Cut off by the end of Botel' };
  const runs = async (of: string) => (await schedules.runs(of, 9)).map(({ ok, error }) => ({ ok, error }));
  assert.deepEqual([await runs(id), await runs(kill)], [[cutOff, cutOff], [cutOff]]);
  assert.equal((await schedules.find(id))?.nextRunAt, midnight + day + 3 * hour);
});

test('a backup that was cut off comes at the next start', async (t) => {
  const { clock, add, schedules, makeRunner, look, performed } = await setUp(t);
  const id = await add();
  clock.advance(3 * hour);
  const [schedule] = await schedules.due(clock.now());
  assert.ok(schedule);
  const run = { at: clock.now(), isLate: false, nextRunAt: clock.now() + day };
  assert.notEqual(await schedules.claim(schedule, run, clock.now()), null);
  assert.equal(await schedules.claim(schedule, run, clock.now()), null);
  const next = makeRunner();
  await next.recover();
  await look(next);
  assert.deepEqual(performed, ['nightly 01-01T03:00']);
  assert.deepEqual(
    (await schedules.runs(id, 9)).map(({ ok }) => ok),
    [true, false],
  );
});

test('a clock that is set back by a year brings no silence of a year, one by a second no second run', async (t) => {
  const { clock, look, add, performed, schedules, makeRunner } = await setUp(t);
  const id = await add();
  clock.advance(3 * hour);
  await look();
  clock.advance(-1000);
  await look();
  clock.advance(2000);
  await look();
  assert.deepEqual(performed, ['nightly 01-01T03:00']);
  clock.advance(365 * day);
  await look();
  clock.advance(-365 * day + hour);
  await look();
  assert.equal((await schedules.find(id))?.nextRunAt, midnight + day + 3 * hour);
  await schedules.update(id, { nextRunAt: midnight + 400 * day }, clock.now());
  await look(makeRunner());
  assert.equal((await schedules.find(id))?.nextRunAt, midnight + day + 3 * hour, 'also when it was set back meanwhile');
});

test('the newest 50 runs are kept; with the bot all of it goes', async (t) => {
  const { clock, look, add, schedules, bots, database } = await setUp(t);
  const id = await add({ cron: '* * * * *' });
  clock.advance(3 * hour);
  for (let count = 0; count < 55; count++) {
    await look();
    clock.advance(minute);
  }
  const runs = await schedules.runs(id, 100);
  assert.deepEqual([runs.length, runs[0]?.at], [50, clock.now() - minute]);
  await bots.setDesired(bot.id, { state: 'deleted', generation: 9, kill: false, graceSeconds: null }, clock.now());
  assert.deepEqual(await schedules.due(clock.now()), [], 'a deleted bot runs no more');
  await new ObservationStore(database, bots.changed).purge(bot.id);
  const left = await database.db.selectFrom('schedule_runs').selectAll().execute();
  assert.deepEqual([left, await schedules.find(id)], [[], null]);
});
