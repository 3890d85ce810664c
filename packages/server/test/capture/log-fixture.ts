// A database with one bot, its log store, and the engine's side of its log file; for tests of logs
// on the real store.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { LogEntry } from '../../src/core/domain/log-line.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import type { LogBatch, LogGap } from '../../src/core/logs/log-batch.ts';
import type { LogLimits } from '../../src/core/logs/line-store.ts';
import { LogStore } from '../../src/core/logs/log-store.ts';
import { TextCipher } from '../../src/core/lib/text-cipher.ts';
import { BotStore } from '../../src/core/store/bots.ts';
import { Database } from '../../src/core/store/database.ts';
import { LogChunks } from '../../src/core/store/log-chunks.ts';

export const botId = '00000000-0000-4000-8000-000000000001';

export interface LogFixture {
  directory: string;
  database: Database;
  table: LogChunks;
  store: LogStore;
  /** A second bot of the same owner. */
  otherBotId: string;
}

/** Opens a fresh database; it closes when the test ends. */
export async function openLogs(t: TestContext, limits: Partial<LogLimits> = {}): Promise<LogFixture> {
  const directory = mkdtempSync(join(tmpdir(), 'botel-logs-'));
  const database = await Database.open(directory, 'OFF');
  // Botel's timers and watchers do not keep the process alive; the test does.
  const awake = setInterval(() => {}, 1000);
  t.after(async () => {
    clearInterval(awake);
    await database.close();
    rmSync(directory, { recursive: true });
  });
  const otherBotId = '00000000-0000-4000-8000-000000000002';
  await addBots(database, [botId, otherBotId]);
  const table = new LogChunks(database);
  return { directory, database, table, otherBotId, store: openStore(database, table, limits) };
}

/** A further store on the same database, as after a restart. */
export function openStore(database: Database, table: LogChunks, limits: Partial<LogLimits> = {}): LogStore {
  return new LogStore({
    table,
    database,
    clock: systemClock,
    limits: { maxBytes: 2 ** 40, maxAgeDays: 30, ...limits },
  });
}

async function addBots(database: Database, ids: string[]): Promise<void> {
  const plan = { id: 'p', name: 'p', memory_mb: 4096, bots: 10, disk_mb: 1, apps: 1, upload_mb: 1 };
  const user = {
    id: 'u',
    email: 'u@example.com',
    password_hash: '',
    role: 'user' as const,
    plan_id: 'p',
    suspended: 0,
    created_at: 0,
  };
  await database.db.insertInto('plans').values(plan).execute();
  await database.db.insertInto('users').values(user).execute();
  const bots = new BotStore(database, new TextCipher(Buffer.alloc(32)));
  await database.transaction(async () => {
    for (const id of ids) {
      await bots.insert({
        id,
        ownerId: 'u',
        name: 'bot',
        language: 'nodejs',
        memoryMb: 256,
        buildCommand: null,
        startupCommand: 'node .',
        environment: {},
        runtimeVersion: '24',
        packages: [],
        restartPolicy: { mode: 'never', maxRetries: null, backoffMaxSeconds: 1 },
        stop: { signal: 'SIGTERM', graceSeconds: 10 },
        network: 'internet',
        stdin: false,
        desired: { state: 'stopped', generation: 0, kill: false, graceSeconds: null },
        createdAt: 0,
        updatedAt: 0,
      });
    }
  });
}

export function textEntry(text: string, change: Partial<LogEntry> = {}): LogEntry {
  return { ts: '2026-01-31T12:00:00.000Z', run: 1, stream: 'stdout', text, partial: false, ...change } as LogEntry;
}

/** Lines and gaps of a live reader: `text` of each line, or the gap itself. */
export interface TailReader {
  items: (string | LogGap)[];
  batches: LogBatch[];
  stop(): Promise<void>;
}

/** Reads a tail to its end in the background. */
export function readTail(tail: (signal: AbortSignal) => AsyncIterable<LogBatch | LogGap>): TailReader {
  const abort = new AbortController();
  const reader: TailReader = {
    items: [],
    batches: [],
    async stop() {
      abort.abort();
      await reading;
    },
  };
  const reading = (async () => {
    for await (const item of tail(abort.signal)) {
      if (item.kind === 'lines') reader.batches.push(item);
      reader.items.push(...(item.kind === 'gap' ? [item] : item.lines.map((line) => JSON.parse(line).text as string)));
    }
  })();
  return reader;
}

/** The engine's side of a container's log: json-file with three files at most. */
export class EngineLog {
  readonly path: string;
  readonly written: string[] = [];
  readonly #prefix: string;

  constructor(directory: string, name: string) {
    mkdirSync(join(directory, name), { recursive: true });
    this.path = join(directory, name, `${name}-json.log`);
    this.#prefix = name;
  }

  write(count: number): void {
    let lines = '';
    for (let index = 0; index < count; index++) {
      const text = `${this.#prefix} ${this.written.length} ${'.'.repeat(index % 50)}`;
      lines += `${JSON.stringify({ log: `${text}\n`, stream: 'stdout', time: '2026-01-31T12:00:00.123456789Z' })}\n`;
      this.written.push(text);
    }
    appendFileSync(this.path, lines);
  }

  rotate(): void {
    if (existsSync(`${this.path}.1`)) renameSync(`${this.path}.1`, `${this.path}.2`);
    if (existsSync(this.path)) renameSync(this.path, `${this.path}.1`);
    writeFileSync(this.path, '');
  }

  remove(): void {
    rmSync(join(this.path, '..'), { recursive: true });
  }
}
