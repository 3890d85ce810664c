// The output of bots on the real engine arrives whole: across rotations of the engine's files,
// death of the control plane, new containers, and whatever bytes a program prints. What is lost is
// told where it is missing.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { LogHistoryData } from '@botel/contract/logs';
import { until } from '../../packages/server/test/support/until.ts';
import { createBot, startAndWait, storedLog, waitForBot, waitForLine, waitForStatus } from './bots.ts';
import { assertCounts, createCountingBot, onlyContainers } from './counting-bot.ts';
import { type ServerProcess, spawnDockerServer, startDockerServer } from './fixture.ts';
import { openStalled } from './stalled-client.ts';

type LogRecord = LogHistoryData['lines'][number];

const lines = 300_000;
/** In the engine's file each takes 170 bytes: five rotations of 10 MB. */
const padding = 'x'.repeat(90);
const maxResidentMb = 700;

/** `pauseMs`: after every 500 lines. */
const flood = (pauseMs: number) => `
const { once } = require('node:events');
const { setTimeout: pause } = require('node:timers/promises');
async function main() {
  for (let count = 0; count < ${lines}; ) {
    let text = '';
    for (let i = 0; i < 500; i++) text += ++count + ' ${padding}\\n';
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    if (${pauseMs}) await pause(${pauseMs});
  }
  console.log('done');
  setInterval(() => {}, 1e9);
}
main();
`;

test('300,000 lines at full speed over rotations and a kill -9 of the control plane are exact or marked', async (t) => {
  await writeOverDeath(t, 0);
});

test('300,000 lines that the files of the engine can hold meanwhile are exact', async (t) => {
  const stored = await writeOverDeath(t, 15);
  assert.ok(!stored.some((record) => 'dropped' in record));
});

/** Returns what is stored in the end, once it was checked. One client reads along, another one
 * takes nothing. */
async function writeOverDeath(t: TestContext, pauseMs: number): Promise<LogRecord[]> {
  await using server = await spawnDockerServer({ BOTEL_LOG_BYTES_PER_BOT: String(1024 ** 3) });
  const files = { 'index.js': flood(pauseMs) };
  const id = await createBot(server.client, { command: 'node index.js', files, memory: 512 });
  const reader = new LiveReader(server, id);
  let stalled = await openStalled(server, id);
  await startAndWait(server.client, id);
  const reading = reader.readOn();
  await until(async () => reader.highest > lines / 5, 60_000);
  const peaks = [residentPeakMb(server.pid)];
  await server.kill('SIGKILL');
  await reading;
  stalled.destroy();
  await server.restart();
  stalled = await openStalled(server, id);
  await reader.readOn();
  peaks.push(residentPeakMb(server.pid));
  stalled.destroy();

  const stored = await storedLog(server.client, id);
  tellLosses(t, stored, peaks);
  assertMetrics(stored);
  reader.assertSame(stored);
  for (const peak of peaks) assert.ok(peak < maxResidentMb, `the server took ${peak} MB`);
  return stored;
}

/** A client of the live stream that resumes where its connection broke. */
class LiveReader {
  /** Highest number that it has seen. */
  highest = 0;
  readonly #server: ServerProcess;
  readonly #botId: string;
  /** Records by sequence number, and the ranges that were not sent. */
  readonly #seen = new Map<number, LogRecord>();
  readonly #gaps: { from: number; to: number }[] = [];
  #lastEventId = '0';

  constructor(server: ServerProcess, botId: string) {
    this.#server = server;
    this.#botId = botId;
  }

  /** Reads until the bot is done or the connection breaks. */
  async readOn(): Promise<void> {
    const { client } = this.#server;
    const headers = { 'Last-Event-ID': this.#lastEventId, Accept: 'application/x-ndjson' };
    const response = await client.fetch('GET', `/bots/${this.#botId}/logs/stream`, { headers });
    assert.equal(response.status, 200);
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const bytes of response.body!) {
        rest += decoder.decode(bytes, { stream: true });
        const events = rest.split('\n');
        rest = events.pop() ?? '';
        for (const event of events) if (this.#take(JSON.parse(event))) return;
      }
    } catch (error) {
      assert.match(String((error as Error).message), /terminated/);
    }
  }

  #take({ event, id, data }: { event: string; id: number | null; data: unknown }): boolean {
    if (event === 'gap') this.#gaps.push(data as { from: number; to: number });
    if (event !== 'log' && event !== 'dropped') return false;
    const record = data as LogRecord;
    assert.equal(id, record.seq);
    assert.ok(!this.#seen.has(record.seq), `${record.seq} was sent twice`);
    assert.ok(record.seq > Number(this.#lastEventId), `${record.seq} after ${this.#lastEventId}`);
    this.#seen.set(record.seq, record);
    this.#lastEventId = String(record.seq);
    if ('dropped' in record) return false;
    this.highest = Math.max(this.highest, numberOf(record) ?? 0);
    return record.text === 'done';
  }

  /** All that is stored was sent as it is stored, or told to be left out. */
  assertSame(stored: LogRecord[]): void {
    const last = Number(this.#lastEventId);
    for (const record of stored) {
      if (record.seq > last) break;
      const isLeftOut = this.#gaps.some(({ from, to }) => record.seq >= from && record.seq <= to);
      if (isLeftOut) assert.ok(!this.#seen.has(record.seq));
      else assert.deepEqual(this.#seen.get(record.seq), record);
      this.#seen.delete(record.seq);
    }
    assert.equal(this.#seen.size, 0);
  }
}

function residentPeakMb(processId: number): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1];
  return Math.round(Number(peak) / 1024);
}

function numberOf(record: { text: string }): number | null {
  const number = /^(\d+) x+$/.exec(record.text)?.[1];
  return number === undefined ? null : Number(number);
}

/** Every number once and in order; some may only be missing where a record says so. */
function assertMetrics(stored: LogRecord[]): void {
  let expected = 1;
  let mayMiss = false;
  let seq = 0;
  for (const record of stored) {
    assert.equal(record.seq, ++seq);
    if ('dropped' in record) {
      mayMiss = true;
      continue;
    }
    const number = record.text === 'done' ? lines + 1 : numberOf(record);
    if (number === null) {
      assert.equal(record.stream, 'system', record.text);
      continue;
    }
    if (number !== expected) assert.ok(mayMiss && number > expected, `${number} instead of ${expected}`);
    else if (number <= lines) assert.equal(record.text, `${number} ${padding}`);
    expected = number + 1;
    mayMiss = false;
  }
  assert.equal(expected, lines + 2);
}

function tellLosses(t: TestContext, stored: LogRecord[], peaks: number[]): void {
  const dropped = stored.filter((record) => 'dropped' in record).length;
  const missing = lines - stored.filter((record) => !('dropped' in record) && numberOf(record) !== null).length;
  t.diagnostic(`${missing} lines lost, ${dropped} records tell of it; the server took ${peaks.join(' and ')} MB`);
}

const odd = `
process.on('SIGTERM', () => {
  process.stdout.write('saved, without a newline');
  process.exit(0);
});
process.stdout.write('long ' + 'ä'.repeat(20_000) + ' end\\n');
process.stdout.write(Buffer.from([0xff, 0x6f, 0x6b, 0xc3, 0x0a]));
process.stderr.write('to stderr\\n');
process.stdout.write('\\n');
process.stdout.write('\\u001b[31mred\\u001b[0m\\r50%\\r100%\\n');
process.stdout.write('begun ');
setTimeout(() => console.log('ready'), 300);
setInterval(() => {}, 1e9);
`;

test('odd output is kept whole, also that of a run whose container is gone', async () => {
  await using server = await startDockerServer();
  const { client } = server;
  const id = await createBot(client, { command: 'node index.js', files: { 'index.js': odd } });
  for (const run of [1, 2]) {
    await client.lifecycle(run === 1 ? 'start' : 'restart', id);
    await waitForLine(client, id, (line) => line.run === run && line.text.endsWith('ready'));
  }
  await client.lifecycle('stop', id);
  await waitForStatus(client, id, 'offline');

  const stored = await storedLog(client, id);
  for (const run of [1, 2]) {
    const own = stored.flatMap((record) => ('dropped' in record || record.run !== run ? [] : [record]));
    const stdout = own.filter(({ stream }) => stream === 'stdout');
    for (const { text } of stdout) assert.ok(Buffer.byteLength(text) <= 16_384);
    assert.ok(stdout.length > 7, 'the long line came in pieces');
    const whole = stdout.map(({ text, partial }) => text + (partial ? '' : '\n')).join('');
    // A character that the engine cut in two can't be mended.
    const [long = '', ...others] = whole.split('\n');
    assert.match(long, /^long [ä\ufffd]{20000,20008} end$/);
    assert.deepEqual(others, ['\ufffdok\ufffd', '', '100%', 'begun ready', 'saved, without a newline']);
    assert.deepEqual(
      own.flatMap(({ stream, text }) => (stream === 'stderr' ? [text] : [])),
      ['to stderr'],
    );
  }
  const runs = stored.map(({ run }) => run);
  assert.deepEqual(
    runs,
    runs.toSorted((left, right) => left - right),
  );
});

test('a container that somebody removes: its lines stay, the bot comes back in a new one', async () => {
  await using server = await startDockerServer();
  const { client, engine } = server;
  const id = await createCountingBot(client);
  await startAndWait(client, id);
  const { seq } = await waitForLine(client, id, ({ text }) => text === '20');
  const [container] = await onlyContainers(engine, [id]);
  await engine.request('DELETE', `/containers/${container!.id}`, { query: { force: true } });
  const bot = await waitForBot(client, id, ({ status, run }) => status === 'online' && run === 2);
  assert.deepEqual([bot.last_exit?.run, bot.last_exit?.reason, bot.restart_count], [1, 'vanished', 1]);
  await waitForLine(client, id, ({ run, text }) => run === 2 && text === '5');
  const counts = await assertCounts(client, id);
  assert.ok((counts.get(1) ?? 0) >= 20);
  assert.ok((await storedLog(client, id)).some((line) => line.seq === seq));
  const [fresh] = await onlyContainers(engine, [id]);
  assert.deepEqual([fresh?.running, fresh?.run], [true, 2]);
});
