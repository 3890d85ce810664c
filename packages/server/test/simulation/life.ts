// One life of the control plane in the simulation: the real services and reconciler over a
// connection of their own. It can die between any two awaits: calls never come back, timers never
// fire, open transactions are rolled back.
import { EngineError } from '../../src/agent/engine/engine.ts';
import { FakeEngine } from '../../src/agent/engine/fake/fake-engine.ts';
import { type FakeCall, type FakeFaults, noFaults, randomDeliveries } from '../../src/agent/engine/fake/fake-faults.ts';
import type { FakeMachine } from '../../src/agent/engine/fake/fake-machine.ts';
import type { Clock } from '../../src/core/lib/clock.ts';
import { KeyedTryLock } from '../../src/core/lib/keyed-try-lock.ts';
import type { HttpProbe } from '../../src/core/lib/http-probe.ts';
import { TextCipher } from '../../src/core/lib/text-cipher.ts';
import { LogStore } from '../../src/core/logs/log-store.ts';
import { Builder } from '../../src/agent/builds/builder.ts';
import { HealthChecker } from '../../src/agent/reconciler/health-checker.ts';
import { ImagePreparer } from '../../src/agent/reconciler/image-preparer.ts';
import { noGuard } from '../../src/agent/network/firewall.ts';
import { Reconciler } from '../../src/agent/reconciler/reconciler.ts';
import { BotsService } from '../../src/core/services/bots.ts';
import { AccountStore } from '../../src/core/store/accounts.ts';
import { AppStore } from '../../src/core/store/apps.ts';
import { BotStore } from '../../src/core/store/bots.ts';
import { Database } from '../../src/core/store/database.ts';
import { EventStore } from '../../src/core/store/events.ts';
import { LogChunks } from '../../src/core/store/log-chunks.ts';
import { ObservationStore } from '../../src/core/store/observations.ts';
import { RunStore } from '../../src/core/store/runs.ts';
import { SettingStore } from '../../src/core/store/settings.ts';
import { UsageCache } from '../../src/core/store/usage-cache.ts';
import type { Random } from './random.ts';

/** Half of the bots have dependencies, which never change. */
const projects = {
  inspect: async (botId: string) => {
    const isProject = botId < '8';
    return {
      names: new Set(isProject ? ['package.json', 'package-lock.json'] : []),
      texts: new Map(isProject ? [['package.json', '{"dependencies":{"a":"1"}}']] : []),
    };
  },
  fingerprint: async () => 'same',
};

const silent = { info() {}, warn() {}, error() {} };
const never = new Promise<never>(() => {});

/** Odds per call. */
export interface Weather {
  engineError: number;
  death: number;
}

/** Deadline of every call to an engine that stands still. */
const frozenCallMs = 5_000;

export const calm: Weather = { engineError: 0, death: 0 };

interface Surroundings {
  directory: string;
  machine: FakeMachine;
  clock: Clock;
  random: Random;
  /** Asked at each call: may change during a life. */
  weather(): Weather;
  /** Whether the engine stands still: it answers nothing, and breaks no connection. */
  isFrozen(): boolean;
}

export class Life {
  dead = false;
  readonly database: Database;
  readonly bots: BotStore;
  readonly logs: LogStore;
  readonly events: EventStore;
  readonly apps: AppStore;
  readonly service: BotsService;
  readonly reconciler: Reconciler;
  readonly #surroundings: Surroundings;

  private constructor(database: Database, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.database = database;
    const { machine, random } = surroundings;
    const clock = this.#mortalClock();
    const table = new LogChunks(database);
    this.logs = new LogStore({ table, database, clock, limits: { maxBytes: 1e9, maxAgeDays: 30 } });
    this.bots = this.#mortal(new BotStore(database, new TextCipher(Buffer.alloc(32))));
    const observations = this.#mortal(new ObservationStore(database, this.bots.changed));
    const runs = this.#mortal(new RunStore(database));
    this.events = new EventStore(database);
    this.apps = new AppStore(database);
    const settings = new SettingStore(database);
    const engine = new FakeEngine({ machine, installId: 'sim', faults: this.#faults() });
    this.service = new BotsService({
      database,
      bots: this.bots,
      runs,
      accounts: new AccountStore(database),
      apps: this.apps,
      settings,
      usageCache: new UsageCache(),
      diskUse: async () => ({ bytes: 0, files: 0 }),
      storage: { refuseIfFull: async () => {} },
      events: this.events,
      clock,
      ids: random,
      agent: { answers: () => true, workOn: () => null },
      appsUrl: 'https://*.apps.localhost',
      packages: [],
      stopGraceSeconds: 10,
    });
    const capture = { follow() {}, drain: async () => {}, forget() {} };
    const homes = {
      fit: async () => {},
      prepare: async () => {},
      path: () => '/home',
      passwdPath: () => '/passwd',
      launcherPath: '/launch',
      remove: async () => {},
    };
    const parts = {
      engine,
      database,
      observations,
      bots: this.bots,
      runs,
      events: this.events,
      settings,
      logs: this.logs,
      capture,
      homes,
      clock,
      ids: random,
      bootId: 'boot',
    };
    this.reconciler = new Reconciler(
      {
        ...parts,
        work: { abortBot: async () => {} },
        images: new ImagePreparer(engine, this.logs),
        health: new HealthChecker({ probe: this.#probe(), clock, appsDomain: 'apps.localhost' }),
        builder: new Builder(projects, 1024),
        unstoppable: new Map(),
        disks: { mustStop: () => null, fault: async () => null },
        storage: { level: async () => 'ok' },
        downloads: { folder: async () => null },
        locks: new KeyedTryLock(),
        guard: noGuard,
        buildLimitMs: 600_000,
      },
      silent,
    );
  }

  static async begin(surroundings: Surroundings): Promise<Life> {
    const database = await Database.open(surroundings.directory, 'OFF');
    const life = new Life(database, surroundings);
    await life.reconciler.start();
    return life;
  }

  /** The process is killed: nothing of it has any effect from now on. */
  die(): void {
    this.dead = true;
    void this.database.close();
  }

  /** Time that stands still for the dead. */
  #mortalClock(): Clock {
    const { clock } = this.#surroundings;
    return {
      now: () => clock.now(),
      after: (delayMs, callback) => clock.after(delayMs, () => (this.dead ? undefined : callback())),
    };
  }

  /** An object each of whose async methods may be the last thing that the process does, before or
   * after its effect. */
  #mortal<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          await this.#mayDie();
          const result = await value.apply(object, args);
          await this.#mayDie();
          return result;
        };
      },
    });
  }

  #mayDie(): Promise<never> | undefined {
    const { random, weather } = this.#surroundings;
    if (!this.dead && random.chance(weather().death)) this.die();
    return this.dead ? never : undefined;
  }

  /** Programs answer by and by, but for those that never do. */
  #probe(): HttpProbe {
    return async ({ path }) => {
      await this.#mayDie();
      const isUp = path === '/up' && this.#surroundings.random.chance(0.2);
      return isUp ? { status: 200 } : { fault: 'simulated' };
    };
  }

  #faults(): FakeFaults {
    const { random, weather, clock, isFrozen } = this.#surroundings;
    const mayFail = async (_call: FakeCall) => {
      await this.#mayDie();
      if (isFrozen()) {
        await new Promise<void>((resolve) => clock.after(frozenCallMs, resolve));
        if (this.dead) return never;
        throw new EngineError('timeout', 'simulated');
      }
      if (!random.chance(weather().engineError)) return;
      throw new EngineError(random.pick(['unavailable', 'timeout'] as const), 'simulated');
    };
    const unreliable = randomDeliveries(() => random.fraction(), {
      drop: 0.2,
      double: 0.1,
      delay: 0.3,
      maxDelayMs: 20_000,
    });
    const deliveries: FakeFaults['deliveries'] = (change) => {
      if (isFrozen()) return [];
      return weather() === calm ? noFaults.deliveries(change) : unreliable(change);
    };
    return { before: mayFail, after: mayFail, deliveries };
  }
}
