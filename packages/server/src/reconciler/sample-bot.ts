// A bot for unit tests: created, never started, unless told otherwise. Must not be used outside of tests.
import type { Bot, Observed, Wish } from '../domain/bot.ts';

export function aBot(change: Partial<Bot> = {}, observed: Partial<Observed> = {}, wish: Partial<Wish> = {}): Bot {
  return {
    id: '0b0b0b0b-0000-4000-8000-000000000001',
    ownerId: 'owner',
    uid: 100_001,
    name: 'greeter',
    language: 'nodejs',
    memoryMb: 256,
    startupCommand: 'node index.js',
    environmentNames: [],
    runtimeVersion: '24',
    restartPolicy: { mode: 'on-failure', maxRetries: null, backoffMaxSeconds: 300 },
    stop: { signal: 'SIGTERM', graceSeconds: 10 },
    changedAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...change,
    wish: { desired: 'running', generation: 1, kill: false, graceSeconds: null, ...wish },
    observed: {
      run: 0,
      runState: 'none',
      runGeneration: 0,
      containerId: null,
      runBeganAt: null,
      startedAt: null,
      stopRun: null,
      stopDeadlineAt: null,
      stopKilled: false,
      failures: 0,
      failuresGeneration: 0,
      retryAt: null,
      lastExit: null,
      phase: null,
      phaseSince: null,
      memoryPeakMb: null,
      restartCount: 0,
      observedAt: null,
      ...observed,
    },
  };
}
