// What the engine contract needs around an engine: bots that are removed again, specs, and the
// subject's own hands.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ContainerSpec, type Engine, EngineError, type Observation } from '../../src/agent/engine/engine.ts';
import { until } from '../support/until.ts';

/**
 * What a container of the suite runs; each subject maps it to an argument vector of its own.
 * Programs that run until they are stopped say `started` first.
 */
export type Intent =
  | { program: 'exit'; code: number }
  /** Runs until stopped, then ends by the signal. */
  | { program: 'serve' }
  /** Runs until stopped, then exits 0. */
  | { program: 'graceful' }
  /** Ignores the stop signal. */
  | { program: 'deaf' }
  /** Has a stdin: writes `got <line>` for each line of it, and `end` when it ends. */
  | { program: 'echo' }
  /** Has a stdin and does not read it. */
  | { program: 'numb' }
  /** Writes without end, as fast as it can. */
  | { program: 'flood' }
  /** Takes memory until it is killed for it. */
  | { program: 'oom' }
  /** Its program does not exist. */
  | { program: 'missing' }
  /** The engine itself fails to start it. */
  | { program: 'unstartable' };

/** An engine under test and the hands that reach around it. */
export interface EngineSubject {
  engine: Engine;
  imageId: string;
  argvOf(intent: Intent): string[];
  /** Runs a container named `bot_<id>` that is not the install's. */
  squat(botId: string): Promise<void>;
  /** Whether that container still runs, untouched. */
  squatterRuns(botId: string): Promise<boolean>;
  removeSquatter(botId: string): Promise<void>;
  /** Removes the bot's container by force, behind the engine object's back. */
  removeByHand(botId: string): Promise<void>;
  /** Takes everything down that opening set up. */
  close(): Promise<void>;
}

/** One engine under test; `clear` after each test. */
export class EngineSuite {
  #subject: EngineSubject | null = null;
  #bots: string[] = [];

  async open(open: () => Promise<EngineSubject>): Promise<void> {
    this.#subject = await open();
  }

  get subject(): EngineSubject {
    assert(this.#subject, 'the engine could not be opened');
    return this.#subject;
  }

  get engine(): Engine {
    return this.subject.engine;
  }

  /** A fresh bot; its container is removed after the test. */
  bot(): string {
    const botId = randomUUID();
    this.#bots.push(botId);
    return botId;
  }

  spec(botId: string, intent: Intent, run = 1): ContainerSpec {
    return {
      name: `bot_${botId}`,
      botId,
      generation: 5,
      run,
      imageId: this.subject.imageId,
      uid: 100_777,
      argv: this.subject.argvOf(intent),
      environment: ['PATH=/bin'],
      workingDirectory: '/',
      memoryBytes: 32 * 1024 * 1024,
      cpuPeriodMicros: 100_000,
      cpuQuotaMicros: 50_000,
      pidsLimit: 64,
      // No kernel grants so many: a real container fails to start by it.
      openFilesLimit: intent.program === 'unstartable' ? 2 ** 40 : 1024,
      tmpBytes: 1024 * 1024,
      shmBytes: 1024 * 1024,
      mounts: [],
      stopSignal: 'SIGTERM',
      stopGraceSeconds: 1,
      network: 'internet',
      runtime: null,
      stdin: intent.program === 'echo' || intent.program === 'numb',
    };
  }

  async created(intent: Intent, botId = this.bot()): Promise<Observation> {
    await this.engine.create(this.spec(botId, intent));
    return this.seen(botId);
  }

  async started(intent: Intent, botId = this.bot()): Promise<Observation> {
    const { containerId } = await this.created(intent, botId);
    await this.engine.start(containerId);
    return this.seen(botId);
  }

  /** Started, and heard from: whatever the program does about signals is in force. */
  async ready(intent: Intent, botId = this.bot()): Promise<Observation> {
    const observation = await this.started(intent, botId);
    const path = await this.engine.logFile(observation.containerId);
    await until(async () => (await readFile(path, 'utf8')).includes('started'));
    return observation;
  }

  /** Resolves with the output's lines once `count` of them begin with `got`. */
  gotLines(containerId: string, count: number): Promise<string[]> {
    return until(async () => {
      const records = (await readFile(await this.engine.logFile(containerId), 'utf8')).split('\n').slice(0, -1);
      const lines = records.map((record) => (JSON.parse(record) as { log: string }).log.trimEnd());
      return lines.filter((line) => line.startsWith('got')).length >= count && lines;
    });
  }

  async seen(botId: string): Promise<Observation> {
    const observation = await this.engine.inspect(botId);
    assert(observation, 'there is no container');
    return observation;
  }

  ended(botId: string): Promise<Observation> {
    return until(async () => {
      const observation = await this.seen(botId);
      return observation.state === 'exited' && observation;
    });
  }

  async clear(): Promise<void> {
    for (const botId of this.#bots.splice(0)) {
      const left = await this.engine.inspect(botId);
      if (!left) continue;
      await this.engine.kill(left.containerId);
      await until(async () => (await this.seen(botId)).state !== 'running');
      await this.engine.remove(left.containerId);
    }
  }

  async close(): Promise<void> {
    await this.#subject?.close();
  }
}

/** Matches an EngineError of `code`, for assert.rejects. */
export function hasCode(code: EngineError['code']) {
  return (error: unknown) => error instanceof EngineError && error.code === code;
}
