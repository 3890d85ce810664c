// Captures the output of all running bots: reads a slice of each file in turn, and commits lines
// together with the cursor after them, so that a crash neither repeats nor skips lines. The files
// are the buffer: nothing more is read before the last slice is committed.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, pause, type Timer } from '../../core/lib/clock.ts';
import { failpoint } from '../../core/lib/failpoint.ts';
import { FollowedRun, type LogSource, type RunOutput, type StoredCursor } from './followed-run.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { LogDatabase, LogTable } from '../../core/logs/log-table.ts';

/** Pause after a commit without backlog: a multiple of its duration, within these bounds. */
const botPaceMs = { min: 5, max: 50 };
const restPerCommit = 4;
/** Minimum time between two commits of lines that trickle in. */
const commitPaceMs = 5;
/** Source bytes per commit; a commit blocks the event loop while it lasts. */
const commitBytes = 128 * 1024;
/** Watching a folder may miss a change. */
const pollMs = 500;
const retryMs = 1000;

interface Deps {
  store: LogStore;
  table: LogTable;
  database: LogDatabase;
  clock: Clock;
  /** Path of a container's newest log segment (see Engine.logFile). */
  logFile(containerId: string): Promise<string>;
  /** Reports a failure that is being retried. */
  warn(fields: Record<string, unknown>, message: string): void;
}

export class LogCapture {
  readonly #deps: Deps;
  readonly #runs = new Map<string, FollowedRun>();
  /** Runs that may have something to read, longest waiting first. */
  readonly #dirty = new Set<FollowedRun>();
  /** Background work must not inherit the transaction of its caller. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #loop: Promise<void> | null = null;
  #stopped = false;
  #nextCommitAt = 0;
  #wake: () => void = () => {};
  #poll: Timer | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Captures from the last committed cursor. The file need not exist yet. Idempotent. */
  follow(source: LogSource): void {
    this.#follow(source);
  }

  /**
   * Reads an ended run to its last line, commits, and stops following it. Resolves at once for a
   * run that never wrote; rejects when the engine can't report the file's path, and when capture
   * stops.
   */
  drain(source: LogSource): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error('Log capture has stopped'));
    const run = this.#follow(source);
    const drained = run.drained();
    if (run.opened) this.#markDirty(run);
    else this.#outside(() => void this.#open(run));
    return drained;
  }

  /** The outputs that are being written now. */
  outputs(): RunOutput[] {
    return [...this.#runs.values()].filter((run) => run.isWritten);
  }

  /** Stops following a bot at once; uncommitted lines are dropped. */
  forget(botId: string): void {
    for (const run of this.#runs.values()) if (run.source.botId === botId) this.#end(run);
  }

  /** Resolves when all reading and writing has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#poll?.cancel();
    this.#wake();
    await this.#loop;
    for (const run of this.#runs.values()) this.#end(run, new Error('Log capture has stopped'));
  }

  #follow(source: LogSource): FollowedRun {
    const key = `${source.botId}/${source.run}`;
    const known = this.#runs.get(key);
    if (known?.source.containerId === source.containerId) return known;
    if (known) this.#end(known);
    for (const older of this.#runs.values()) {
      if (older.source.botId !== source.botId) continue;
      // A bot has one container at a time: the older run has ended, and nothing requested its end.
      older.draining = true;
      this.#markDirty(older);
    }
    const run = new FollowedRun({ ...source });
    if (this.#stopped) return run;
    this.#runs.set(key, run);
    this.#outside(() => {
      void this.#open(run);
      this.#loop ??= this.#work();
      this.#poll ??= this.#schedulePoll();
    });
    return run;
  }

  async #open(run: FollowedRun): Promise<void> {
    if (run.opening || run.opened) return;
    run.opening = true;
    const { table, logFile } = this.#deps;
    const { botId, run: number, containerId } = run.source;
    try {
      const stored = await table.cursor(botId, number);
      const cursor = stored?.containerId === containerId ? readCursor(stored.cursor) : null;
      const path = await logFile(containerId).catch((error) => {
        // The engine reports no such container: its file is gone too.
        if (run.draining && (error as { code?: unknown }).code === 'refused') return '';
        throw error;
      });
      if (path === '' && !run.draining) return;
      if (!this.#isFollowed(run)) return;
      run.open(path || null, cursor);
      run.failing = false;
      this.#markDirty(run);
    } catch (error) {
      this.#report(run, error);
      run.failWaiters(error);
    } finally {
      run.opening = false;
    }
  }

  /** Marks that the run may have something to read; wakes the loop the first time only. */
  #touch(run: FollowedRun): void {
    if (!this.#dirty.has(run) && this.#isFollowed(run)) this.#markDirty(run);
  }

  #markDirty(run: FollowedRun): void {
    this.#dirty.add(run);
    this.#wake();
  }

  #schedulePoll(): Timer {
    return this.#deps.clock.after(pollMs, () => {
      if (this.#stopped) return;
      this.#poll = this.#runs.size > 0 ? this.#schedulePoll() : null;
      for (const run of this.#runs.values()) {
        if (run.opened) this.#touch(run);
        else void this.#open(run);
      }
    });
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      try {
        const ready = this.#gather();
        if (ready.length > 0) await this.#commit(ready);
        else await this.#idle();
      } catch (error) {
        this.#deps.warn({ err: error }, 'log capture failed and goes on');
        await pause(this.#deps.clock, retryMs);
      }
    }
  }

  /** Runs with something to commit, at most `commitBytes` in total. */
  #gather(): FollowedRun[] {
    const now = this.#deps.clock.now();
    const stamp = new Date(now).toISOString();
    const ready: FollowedRun[] = [];
    let bytes = 0;
    for (const run of this.#dirty) {
      if (!run.opened || now < this.#dueAt(run)) continue;
      run.watch(() => this.#touch(run));
      try {
        const portion = run.read(now) ?? (run.draining ? run.readEnd(stamp) : null);
        if (portion) ready.push(run);
        else if (run.draining) this.#end(run);
        else this.#dirty.delete(run);
        bytes += portion?.bytes ?? 0;
      } catch (error) {
        this.#retryLater(run, error);
      }
      if (bytes >= commitBytes) break;
    }
    return ready;
  }

  #dueAt(run: FollowedRun): number {
    if (run.failing) return run.notBefore;
    return run.draining ? 0 : Math.max(run.notBefore, this.#nextCommitAt);
  }

  async #commit(ready: FollowedRun[]): Promise<void> {
    try {
      await this.#write(ready);
    } catch (error) {
      const [alone, ...others] = ready;
      if (others.length === 0) this.#retryLater(alone!, error);
      // A run that can't be written must not hold up the others.
      else for (const run of ready) await this.#commit([run]);
    }
    // Yields to other work between two commits.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #write(ready: FollowedRun[]): Promise<void> {
    const { database, store, table, clock } = this.#deps;
    const began = clock.now();
    await database.transaction(async () => {
      for (const run of ready) {
        const { source, pending } = run;
        // The run was forgotten while the transaction waited; it may be followed again already.
        if (!pending || !this.#isFollowed(run)) continue;
        await store.append(source.botId, pending.entries);
        await failpoint('lines.stored');
        const cursor = { containerId: source.containerId, cursor: JSON.stringify(pending.cursor) };
        await table.saveCursor(source.botId, source.run, cursor);
      }
    });
    await failpoint('lines.committed');
    const now = clock.now();
    const backlog = ready.some((run) => run.pending?.more);
    const rest = Math.min(Math.max((now - began) * restPerCommit, botPaceMs.min), botPaceMs.max);
    this.#nextCommitAt = backlog ? 0 : now + commitPaceMs;
    for (const run of ready) {
      if (run.pending?.cursor.done) this.#end(run);
      run.notBefore = run.pending?.more ? 0 : now + rest;
      run.pending = null;
      run.failing = false;
      if (this.#dirty.delete(run)) this.#dirty.add(run);
    }
  }

  /** Waits until a run may have something to read and its time has come. */
  async #idle(): Promise<void> {
    let dueAt = Number.POSITIVE_INFINITY;
    for (const run of this.#dirty) if (run.opened) dueAt = Math.min(dueAt, this.#dueAt(run));
    let timer: Timer | null = null;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      const delay = dueAt - this.#deps.clock.now();
      if (this.#stopped) resolve();
      else if (Number.isFinite(delay)) timer = this.#deps.clock.after(Math.max(0, delay), resolve);
    });
    (timer as Timer | null)?.cancel();
  }

  #retryLater(run: FollowedRun, error: unknown): void {
    if (!this.#isFollowed(run)) return;
    this.#report(run, error);
    run.notBefore = this.#deps.clock.now() + retryMs;
  }

  #report(run: FollowedRun, error: unknown): void {
    if (!run.failing)
      this.#deps.warn({ err: error, ...run.source }, 'capturing the output of a run failed, it is tried again');
    run.failing = true;
  }

  #isFollowed(run: FollowedRun): boolean {
    return this.#runs.get(`${run.source.botId}/${run.source.run}`) === run;
  }

  #end(run: FollowedRun, error?: unknown): void {
    if (this.#isFollowed(run)) this.#runs.delete(`${run.source.botId}/${run.source.run}`);
    this.#dirty.delete(run);
    run.close(error);
  }
}

/** An unreadable cursor becomes one in no file: a loss is recorded and all lines are read again. */
function readCursor(text: string): StoredCursor {
  try {
    return JSON.parse(text) as StoredCursor;
  } catch {
    return { place: { inode: 0, offset: 0, fingerprint: { sha256: '', bytes: 0 } }, done: false };
  }
}
