// A simulated world: one fake machine, one database, a control plane that dies and is started
// again, users who press buttons, and everything that can go wrong in between. Keeps what was
// promised to users, to check it in the end.
import assert from 'node:assert/strict';
import { containerName } from '../../src/core/domain/bot.ts';
import { statusOf } from '../../src/core/domain/status.ts';
import { FakeMachine } from '../../src/agent/engine/fake/fake-machine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Database } from '../../src/core/store/database.ts';
import { insertOwner } from '../support/sample-owner.ts';
import { calm, Life, type Weather } from './life.ts';
import { Random } from './random.ts';

const caller = { userId: 'user', sessionId: 'session', role: 'user' as const };
const planMemoryMb = 1024;
const commands = [
  'run',
  'graceful stop 1500',
  'deaf',
  'exit 0 after 3000',
  'exit 3',
  'exit 1 after 2000',
  'oom after 1000',
  'missing-command',
  'start-error',
];
const storms: readonly Weather[] = [
  { engineError: 0.05, death: 0.01 },
  { engineError: 0.2, death: 0.005 },
];

/** What a user was told by a 200. */
interface Promised {
  desired: 'running' | 'stopped' | 'deleted';
  generation: number;
}

export class World {
  readonly random: Random;
  readonly clock = new ManualClock();
  readonly machine: FakeMachine;
  readonly promised = new Map<string, Promised>();
  readonly history: string[] = [];
  readonly #removedByHand = new Set<string>();
  /** Containers of somebody else. */
  readonly #foreign = new Set<string>();
  readonly #directory: string;
  #weather: Weather;
  #isFrozen = false;
  #life: Life | null = null;

  constructor(seed: number, directory: string) {
    this.random = new Random(seed);
    this.#weather = this.random.pick(storms);
    this.#directory = directory;
    this.machine = new FakeMachine({ clock: this.clock, ids: this.random, prepareMs: 20_000 });
    this.machine.listen({
      changed: (container) =>
        this.history.push(`  container ${container.botId.slice(0, 4)} run ${container.run} ${container.state}`),
      engineStopped() {},
    });
    if (this.random.chance(0.3)) this.machine.removeImage('nodejs', '24');
  }

  /** Takes `count` random actions, checking what must hold at all times. */
  async live(count: number): Promise<void> {
    await this.#makeUser();
    await this.#revive();
    for (let i = 0; i < count; i++) {
      await this.#act();
      await this.pass(this.random.pick([0, 1, 50, 500, 3_000, 12_000]));
      if (this.#life?.dead && this.random.chance(0.7)) await this.#revive();
      this.#checkAlways();
    }
  }

  /** Ends all faults, lets things come to rest, and checks that every promise was kept. */
  async rest(): Promise<void> {
    this.#weather = calm;
    this.#isFrozen = false;
    for (const container of this.machine.containers()) if (isUnmanaged(container)) this.machine.remove(container);
    this.#foreign.clear();
    if (!this.machine.engineUp) this.machine.startEngine({ liveRestore: true });
    if (!this.#life || this.#life.dead) await this.#revive();
    await this.pass(100_000);
    await this.#checkFinally();
    this.#life?.die();
  }

  /** Lets `ms` of virtual time go by, timer by timer, so that everybody acts at its own time. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    await turn();
    for (;;) {
      const next = this.clock.nextTimerAt();
      if (next === null || next > end) break;
      this.clock.advance(next - this.clock.now());
      await turn();
    }
    this.clock.advance(end - this.clock.now());
    await turn();
  }

  async #revive(): Promise<void> {
    this.history.push('process starts');
    this.#life?.die();
    this.#life = await Life.begin({
      directory: this.#directory,
      machine: this.machine,
      clock: this.clock,
      random: this.random,
      weather: () => this.#weather,
      isFrozen: () => this.#isFrozen,
    });
  }

  async #makeUser(): Promise<void> {
    const database = await Database.open(this.#directory, 'OFF');
    await insertOwner(database, { memoryMb: planMemoryMb, bots: 10 }, caller.userId);
    await database.close();
  }

  async #act(): Promise<void> {
    const action = this.random.pick([
      'create',
      'press',
      'press',
      'press',
      'press',
      'crash',
      'remove by hand',
      'engine',
      'freeze',
      'squat',
      'clock',
      'die',
      'nothing',
    ] as const);
    switch (action) {
      case 'create':
        return this.#create();
      case 'press':
        return this.#press();
      case 'crash':
      case 'remove by hand':
        return this.#hurt(action);
      case 'engine':
        return this.#toggleEngine();
      case 'freeze':
        this.#isFrozen = !this.#isFrozen;
        this.history.push(this.#isFrozen ? 'engine stands still' : 'engine goes on');
        return;
      case 'squat':
        return this.#squat();
      case 'clock':
        return this.#setClock();
      case 'die':
        this.history.push('process dies');
        this.#life?.die();
        return;
      case 'nothing':
        return;
    }
  }

  async #create(): Promise<void> {
    const command = this.random.pick(commands);
    const input = {
      name: 'bot',
      language: 'nodejs' as const,
      memoryMb: this.random.pick([128, 256, 512]),
      startupCommand: command,
      buildCommand: null,
      environment: {},
    };
    const bot = await this.#ask(() => this.#life?.service.create(caller, input));
    if (!bot) return;
    this.history.push(`create ${bot.id.slice(0, 4)} "${command}" ${input.memoryMb} MB`);
    this.promised.set(bot.id, { desired: 'stopped', generation: 0 });
    await this.#serve(bot.id);
  }

  /** Every other bot serves an app whose health is asked, some to no avail. */
  async #serve(botId: string): Promise<void> {
    const digit = Number.parseInt(botId.charAt(1), 16);
    if (digit % 2 === 0) return;
    const app = {
      id: this.random.uuid(),
      ownerId: caller.userId,
      botId,
      name: `app-${botId}`,
      port: null,
      createdAt: 0,
    };
    await this.#ask(async () => {
      await this.#life?.apps.insert({ ...app, healthPath: digit < 12 ? '/up' : '/never' });
      return true;
    });
  }

  async #press(): Promise<void> {
    const id = this.#someBot();
    const service = this.#life?.service;
    if (!id || !service) return;
    const button = this.random.pick([
      'start',
      'start',
      'start',
      'restart',
      'stop',
      'kill',
      'delete',
      'reinstall',
    ] as const);
    const answer = await this.#ask(async () => {
      switch (button) {
        case 'start':
        case 'restart':
        case 'kill':
          return (await service[button](caller, id)).bot;
        case 'stop':
          return (await service.stop(caller, id, null)).bot;
        case 'reinstall':
          return service.reinstall(caller, id);
        case 'delete':
          return (await service.delete(caller, id, this.random.chance(0.5))).bot;
      }
    });
    this.history.push(`${button} ${id.slice(0, 4)}: ${answer ? 'accepted' : 'refused or no answer'}`);
    if (!answer || button === 'reinstall') return;
    const desired =
      button === 'delete' ? 'deleted' : button === 'start' || button === 'restart' ? 'running' : 'stopped';
    const nothingNew = button === 'stop' && statusOf(answer) === 'stopping';
    if (!nothingNew) this.promised.set(id, { desired, generation: answer.desired.generation + 1 });
  }

  #hurt(how: 'crash' | 'remove by hand'): void {
    const running = this.machine
      .containers()
      .filter((container) => container.state === 'running' && !isUnmanaged(container));
    if (running.length === 0) return;
    const victim = this.random.pick(running);
    this.history.push(`${how} ${victim.botId.slice(0, 4)}`);
    if (how === 'crash')
      this.machine.crash(victim.botId, this.random.pick([0, 1, 139]), { oom: this.random.chance(0.2) });
    else {
      this.machine.removeByHand(victim.botId);
      this.#removedByHand.add(`${victim.botId} ${victim.run}`);
    }
  }

  #toggleEngine(): void {
    this.history.push(this.machine.engineUp ? 'engine dies' : 'engine is back');
    if (this.machine.engineUp) this.machine.stopEngine();
    else this.machine.startEngine({ liveRestore: this.random.chance(0.5) });
    // An engine that comes back may give out other addresses.
    this.machine.address = `127.0.0.${this.history.length}`;
    for (const container of this.machine.containers()) if (container.address) container.address = this.machine.address;
  }

  /** Somebody else takes the name of a bot's container, where it is free. */
  #squat(): void {
    const id = this.#someBot();
    if (!id || this.machine.byName(containerName(id))) return;
    this.history.push(`name of ${id.slice(0, 4)} squatted`);
    this.#foreign.add(this.machine.squat(id).containerId);
  }

  #setClock(): void {
    const ms = this.random.pick([-3_600_000, -5_000, 5_000, 3_600_000]);
    this.history.push(`clock moved by ${ms / 1000} s`);
    this.clock.set(ms);
  }

  #someBot(): string | null {
    return this.promised.size === 0 ? null : this.random.pick([...this.promised.keys()]);
  }

  /** The answer to a request, or null when it was refused or the process died over it. */
  async #ask<T>(request: () => Promise<T> | undefined): Promise<T | null> {
    if (!this.#life || this.#life.dead) return null;
    let answer: T | null = null;
    void (async () => {
      answer = (await request()) ?? null;
    })().catch(() => {
      // A refusal promises nothing.
    });
    await turn();
    return answer;
  }

  #checkAlways(): void {
    const left = this.machine.containers().filter(isUnmanaged).length;
    assert.equal(left, this.#foreign.size, 'I3: a container of somebody else was removed');
    const seen = new Set<string>();
    for (const container of this.machine.containers()) {
      if (isUnmanaged(container)) continue;
      assert.ok(!seen.has(container.botId), `I1: two containers of ${container.botId}`);
      seen.add(container.botId);
      // A run whose container somebody took away before it was noted is made again under its
      // number.
      if (this.#removedByHand.has(`${container.botId} ${container.run}`)) continue;
      const { creates, starts } = this.machine.count(container.botId, container.run);
      assert.ok(creates <= 1 && starts <= 1, `run ${container.run}: ${creates} creates, ${starts} starts`);
    }
  }

  async #checkFinally(): Promise<void> {
    this.#checkAlways();
    const life = this.#life;
    assert.ok(life && !life.dead);
    let memoryMb = 0;
    for (const [id, promise] of this.promised) {
      const bot = await life.bots.find(id, { deletedToo: true });
      const container = this.machine.containers().find((candidate) => candidate.botId === id) ?? null;
      if (!bot) {
        // A delete whose answer was lost in a crash may have been stored all the same.
        assert.equal(container, null, 'I3: a container of a deleted bot');
        continue;
      }
      assert.notEqual(bot.desired.state, 'deleted', 'a deleted bot is still there');
      memoryMb += bot.memoryMb;
      // An unanswered request may have been stored: newer than promised is fine, older is a lost
      // desired.
      assert.ok(bot.desired.generation >= promise.generation, 'I7: an accepted desired state was lost');
      if (bot.desired.generation === promise.generation)
        assert.equal(bot.desired.state, promise.desired, 'I7: another desired state');
      this.#checkFulfilled(bot, container);
      await this.#checkEnds(life, bot);
    }
    for (const container of this.machine.containers()) {
      assert.ok(await life.bots.find(container.botId), 'I3: a container without a bot');
    }
    assert.ok(memoryMb <= planMemoryMb, `I4: ${memoryMb} MB of ${planMemoryMb}`);
  }

  #checkFulfilled(
    bot: NonNullable<Awaited<ReturnType<Life['bots']['find']>>>,
    container: { state: string; generation: number; address: string | null } | null,
  ): void {
    const status = statusOf(bot);
    if (bot.desired.state === 'stopped') {
      assert.equal(container, null, 'I2: a stopped bot has a container');
      assert.equal(status, 'offline');
      return;
    }
    if (status === 'online') {
      assert.equal(container?.state, 'running', 'I6: online without a running container');
      assert.equal(container.generation, bot.desired.generation, 'online with a container of another desired state');
      assert.equal(bot.observed.address, container.address, 'I6: reached elsewhere than recorded');
      return;
    }
    const isChecked = bot.observed.checkPath !== null;
    assert.ok(bot.observed.address === null || isChecked, 'reached without being online');
    const transient = status === 'starting' && bot.observed.phase !== null;
    assert.ok(status === 'offline' || transient, `I2: a desired bot is ${status}`);
    if (status === 'offline') assert.ok(bot.observed.lastExit, 'I2: offline without a reason');
    const given = bot.observed.retryAt !== null || bot.observed.lastExit?.reason === 'exited';
    assert.ok(transient || given, `I2: offline, desired, and nothing planned: ${JSON.stringify(bot.observed)}`);
  }

  /** Each end is told exactly once in the log, and once as an event. */
  async #checkEnds(life: Life, bot: { id: string }): Promise<void> {
    const { records } = await life.logs.read(bot.id, { limit: 1000 });
    const ends = records.flatMap((record) =>
      'text' in record ? (/^Run (\d+) ended/.exec(record.text)?.[1] ?? []) : [],
    );
    assert.equal(new Set(ends).size, ends.length, `an end was recorded twice: ${ends}`);
    const events = await life.events.newest({ ownerId: caller.userId, botId: bot.id }, null, 10_000);
    const told = events.flatMap(({ detail }) => ('reason' in detail ? [String(detail.run)] : [])).toReversed();
    assert.deepEqual(told, ends, 'the events are not the ends of the log');
  }
}

/** Whether it is of somebody else. */
function isUnmanaged({ installId }: { installId: string | null }): boolean {
  return installId === null;
}

/** Lets everything run that does not wait for time. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
