// Log capture from files to the real database: nothing lost, nothing twice, whatever happens to it.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { LogRecord } from '../../src/core/domain/log-line.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import { LogCapture } from '../../src/agent/capture/log-capture.ts';
import type { LogDatabase, LogTable } from '../../src/core/logs/log-table.ts';
import { checkComplete } from './check-complete.ts';
import { botId, EngineLog, type LogFixture, openLogs, readTail } from './log-fixture.ts';
import { until } from '../support/until.ts';

const source = { botId, run: 1, containerId: 'c1' };

interface CaptureOptions {
  logFile?: (containerId: string) => Promise<string>;
  database?: LogDatabase;
  table?: LogTable;
}

function newCapture(logs: LogFixture, log: EngineLog, options: CaptureOptions = {}) {
  const warnings: string[] = [];
  const capture = new LogCapture({
    store: logs.store,
    table: options.table ?? logs.table,
    database: options.database ?? logs.database,
    clock: systemClock,
    logFile: options.logFile ?? (async () => log.path),
    warn: (_fields, message) => warnings.push(message),
  });
  return { capture, warnings };
}

/** A capture that stops when the test ends. */
function openCapture(t: TestContext, logs: LogFixture, log: EngineLog, options: CaptureOptions = {}) {
  const opened = newCapture(logs, log, options);
  t.after(() => opened.capture.stop());
  return opened;
}

async function recordsOf({ store }: LogFixture, bot = botId): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await store.read(bot, { after: records.at(-1)?.seq ?? 0, limit: 1000 });
    records.push(...page.records);
    hasMore = page.next !== null;
  }
  assert.deepEqual(
    records.map((record) => record.seq),
    records.map((_, index) => index + 1),
  );
  return records;
}

/** Texts in order; null for a record of lost lines. */
async function itemsOf(logs: LogFixture, bot = botId): Promise<(string | null)[]> {
  return (await recordsOf(logs, bot)).map((record) => ('text' in record ? record.text : null));
}

test('output is captured while it is written, from a file that does not exist yet, across rotations', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  const { capture, warnings } = openCapture(t, logs, log);
  const reader = readTail((signal) => logs.store.tail(botId, { tail: 0 }, { signal }));
  capture.follow(source);
  capture.follow(source);
  await turn();
  log.write(1);
  await until(() => reader.items.length === 1);
  for (let rotation = 0; rotation < 5; rotation++) {
    log.write(700);
    await until(() => reader.items.length === log.written.length);
    log.rotate();
  }
  log.write(10);
  await until(() => reader.items.length === log.written.length);
  await reader.stop();
  assert.deepEqual(reader.items, log.written);
  assert.deepEqual(warnings, []);
});

test('drain reads to the end and is repeated without harm, before and after the file is gone', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  const { capture } = openCapture(t, logs, log);
  log.write(20_000);
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), log.written);
  await Promise.all([capture.drain(source), capture.drain(source)]);
  log.remove();
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), log.written);
});

test('a run that never wrote is drained without a record', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  const { capture } = openCapture(t, logs, log);
  await capture.drain(source);
  log.rotate();
  await capture.drain({ ...source, run: 2 });
  const refused = openCapture(t, logs, log, {
    logFile: () => Promise.reject(Object.assign(new Error('no such container'), { code: 'refused' })),
  });
  await refused.capture.drain({ ...source, run: 3 });
  assert.deepEqual(await itemsOf(logs), []);
});

test('a file that is gone before its end was read is told, once', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(3);
  const first = openCapture(t, logs, log);
  first.capture.follow(source);
  await until(async () => (await itemsOf(logs)).length === 3);
  await first.capture.stop();
  log.write(3);
  log.remove();
  for (let attempt = 0; attempt < 2; attempt++) {
    const { capture } = openCapture(t, logs, log);
    await capture.drain(source);
    await capture.drain(source);
  }
  assert.deepEqual(await itemsOf(logs), [...log.written.slice(0, 3), null]);
});

test('a cursor that is damaged is told, and holds nobody up', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(3);
  const first = openCapture(t, logs, log);
  first.capture.follow(source);
  await until(async () => (await itemsOf(logs)).length === 3);
  await first.capture.stop();
  await logs.table.saveCursor(botId, 1, { containerId: 'c1', cursor: '{"place":{"inode":1' });
  log.write(2);
  const { capture } = openCapture(t, logs, log);
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), [...log.written.slice(0, 3), null, ...log.written]);
});

test('a container that is removed while it is followed loses nothing', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(3);
  const { capture } = openCapture(t, logs, log);
  capture.follow(source);
  await until(async () => (await itemsOf(logs)).length === 3);
  log.write(2000);
  log.remove();
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), log.written);
});

test('an incomplete last line is told', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(2);
  appendFileSync(log.path, '{"log":"cut of');
  const { capture } = openCapture(t, logs, log);
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), [...log.written, null]);
});

test('drain fails while the engine can not be asked, following tries again', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(2);
  let available = false;
  const { capture, warnings } = openCapture(t, logs, log, {
    logFile: async () => {
      if (!available) throw Object.assign(new Error('no answer'), { code: 'unavailable' });
      return log.path;
    },
  });
  await assert.rejects(capture.drain(source), /no answer/);
  assert.equal(warnings.length, 1);
  available = true;
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), log.written);
});

test('the next run ends the capture of the one before it, and has its own lines', async (t) => {
  const logs = await openLogs(t);
  const one = new EngineLog(logs.directory, 'c1');
  const two = new EngineLog(logs.directory, 'c2');
  const { capture } = openCapture(t, logs, one, { logFile: async (id) => (id === 'c1' ? one.path : two.path) });
  one.write(100);
  capture.follow(source);
  capture.follow({ botId, run: 2, containerId: 'c2' });
  two.write(100);
  await capture.drain({ botId, run: 2, containerId: 'c2' });
  await until(async () => (await logs.store.lastSeq(botId)) === 200);
  const records = await recordsOf(logs);
  const textsOfRun = (run: number) =>
    records.filter((record) => record.run === run).map((record) => 'text' in record && record.text);
  assert.deepEqual(textsOfRun(1), one.written);
  assert.deepEqual(textsOfRun(2), two.written);
});

test('a bot that is forgotten is not captured any more', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  const { capture } = openCapture(t, logs, log);
  log.write(1);
  capture.follow(source);
  await until(async () => (await logs.store.lastSeq(botId)) === 1);
  capture.forget(botId);
  log.write(1);
  const other = new EngineLog(logs.directory, 'c2');
  other.write(1);
  await openCapture(t, logs, other).capture.drain({ botId: logs.otherBotId, run: 1, containerId: 'c2' });
  assert.equal(await logs.store.lastSeq(botId), 1);
});

test('a flooding bot does not keep others waiting, and one that can not be stored does not hold them up', async (t) => {
  const logs = await openLogs(t);
  const flood = new EngineLog(logs.directory, 'c1');
  const quiet = new EngineLog(logs.directory, 'c2');
  const missing = { botId: '00000000-0000-4000-8000-00000000000f', run: 1, containerId: 'c1' };
  flood.write(60_000);
  quiet.write(3);
  const { capture, warnings } = openCapture(t, logs, flood, {
    logFile: async (id) => (id === 'c1' ? flood.path : quiet.path),
  });
  capture.follow(source);
  capture.follow(missing);
  await until(async () => (await logs.store.lastSeq(botId)) > 0);
  await capture.drain({ botId: logs.otherBotId, run: 1, containerId: 'c2' });
  assert.ok((await logs.store.lastSeq(botId)) < 60_000, 'the quiet bot was done before the flood');
  assert.deepEqual(await itemsOf(logs, logs.otherBotId), quiet.written);
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), flood.written);
  assert.equal(warnings.length, 1);
});

test('following that is asked for inside of a transaction does not become part of it', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(2);
  const { capture, warnings } = openCapture(t, logs, log);
  await logs.database.transaction(async () => capture.follow(source));
  await until(async () => (await logs.store.lastSeq(botId)) === 2);
  assert.deepEqual(warnings, []);
});

test('a database that refuses for a while loses nothing', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  log.write(10);
  let refusals = 1;
  const { capture, warnings } = openCapture(t, logs, log, {
    database: {
      onCommit: (hook) => logs.database.onCommit(hook),
      transaction: (work) =>
        refusals-- > 0 ? Promise.reject(new Error('database or disk is full')) : logs.database.transaction(work),
    },
  });
  await capture.drain(source);
  assert.deepEqual(await itemsOf(logs), log.written);
  assert.equal(warnings.length, 1);
});

test('stopping rejects who waits for a drain', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  const { capture } = openCapture(t, logs, log, { logFile: () => new Promise(() => {}) });
  const drained = assert.rejects(capture.drain(source), /stopped/);
  await turn();
  await capture.stop();
  await drained;
  await assert.rejects(capture.drain(source), /stopped/);
});

/** A database that its user is killed at: before the cursor is written, or right after the
 * commit. */
function killable(logs: LogFixture, moment: 'before_cursor' | 'after_commit', after: number): CaptureOptions {
  let left = after;
  return {
    table: {
      cursor: (...given: Parameters<LogTable['cursor']>) => logs.table.cursor(...given),
      saveCursor(...given: Parameters<LogTable['saveCursor']>) {
        if (moment === 'before_cursor' && left-- <= 0) throw new Error('killed');
        return logs.table.saveCursor(...given);
      },
    } as LogTable,
    database: {
      onCommit: (hook) => logs.database.onCommit(hook),
      async transaction(work) {
        const result = await logs.database.transaction(work);
        return moment === 'after_commit' && left-- <= 0 ? new Promise<never>(() => {}) : result;
      },
    },
  };
}

test('killed anywhere, rotated any time: every line once and in order, or a told loss', async (t) => {
  const steps = fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('write' as const), count: fc.integer({ min: 1, max: 2500 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('rotate' as const) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.nat(8) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('kill' as const),
          moment: fc.constantFrom('before_cursor' as const, 'after_commit' as const),
          after: fc.nat(3),
        }),
      },
    ),
    { minLength: 4, maxLength: 30 },
  );
  const logs = await openLogs(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      run++;
      const log = new EngineLog(mkdtempSync(join(logs.directory, 'run-')), `r${run}`);
      const begin = await logs.store.lastSeq(botId);
      const runSource = { botId, run, containerId: `r${run}` };
      const open = (options: CaptureOptions = {}) => {
        const { capture } = openCapture(t, logs, log, options);
        capture.follow(runSource);
        return capture;
      };
      let capture = open();
      for (const step of history) {
        if (step.kind === 'write') log.write(step.count);
        else if (step.kind === 'rotate') log.rotate();
        else if (step.kind === 'turns') for (let count = 0; count < step.count; count++) await turn();
        else {
          await capture.stop();
          const doomed = newCapture(logs, log, killable(logs, step.moment, step.after)).capture;
          doomed.follow(runSource);
          for (let count = 0; count < 12; count++) await turn();
          // Dead: it learns nothing of its last commit, and does nothing more.
          doomed.forget(botId);
          capture = open();
        }
      }
      await capture.drain(runSource);
      await capture.stop();
      const records = (await logs.store.read(botId, { after: begin, limit: 1_000_000 })).records;
      checkComplete(
        records.map((record) => ('text' in record ? record.text : null)),
        log.written,
      );
    }),
    { numRuns: 40 },
  );
});

test('what floods in beyond what is stored is counted, and the end of the run is stored', async (t) => {
  const logs = await openLogs(t);
  const log = new EngineLog(logs.directory, 'c1');
  const lines = 6_000;
  const time = '2026-01-31T12:00:00.123456789Z';
  for (let number = 1; number <= lines; number++) {
    const text = `${number} ${'x'.repeat(10_000)}\n`;
    appendFileSync(log.path, `${JSON.stringify({ log: text, stream: 'stdout', time })}\n`);
  }
  const { capture } = openCapture(t, logs, log);
  await capture.drain(source);
  let expected = 1;
  let dropped = 0;
  for (const record of await recordsOf(logs)) {
    if ('dropped' in record) {
      assert.deepEqual([record.reason, record.run], ['flood', 1]);
      expected += record.count ?? 0;
      dropped += record.count ?? 0;
    } else assert.equal(record.text.split(' ')[0], String(expected++));
  }
  assert.equal(expected, lines + 1);
  assert.ok(dropped > 0);
  assert.equal((await logs.store.lastLines(botId, 1, 1))[0]?.split(' ')[0], String(lines));
});
