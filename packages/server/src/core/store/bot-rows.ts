// Converts between rows of `bots` and `observations` and the Bot of the domain.
import type { BotNetwork, Language, StopSignal } from '@botel/contract/vocabulary';
import type { Selectable } from 'kysely';
import type { Bot, DesiredState, Exit, Observed, RestartPolicy } from '../domain/bot.ts';
import { toColumns } from './columns.ts';
import type { BotTable, ObservationTable } from './schema.ts';

/** The fields that an owner may change. */
export type BotChange = Partial<
  Pick<
    Bot,
    | 'name'
    | 'memoryMb'
    | 'startupCommand'
    | 'buildCommand'
    | 'runtimeVersion'
    | 'packages'
    | 'restartPolicy'
    | 'stop'
    | 'network'
    | 'stdin'
    | 'diskMb'
  >
>;

/** All columns of `bots` but the encrypted environment, which may be large. */
const columnNames = [
  'id',
  'owner_id',
  'uid',
  'name',
  'language',
  'memory_mb',
  'startup_command',
  'build_command',
  'build_epoch',
  'environment_names',
  'runtime_version',
  'packages',
  'restart_mode',
  'max_retries',
  'backoff_max_seconds',
  'stop_signal',
  'stop_grace_seconds',
  'stdin',
  'network',
  'disk_mb',
  'suspension',
  'desired',
  'generation',
  'wish_kill',
  'wish_grace_seconds',
  'changed_at',
  'created_at',
  'updated_at',
] as const satisfies (keyof BotTable)[];

export const botColumns = columnNames.map((column) => `bots.${column}` as const);

/** With the owner's plan (null without one), the app, and whether `restores` has a row. */
export type BotRow = Pick<Selectable<BotTable>, (typeof columnNames)[number]> &
  Selectable<ObservationTable> & {
    plan_internet: number | null;
    plan_runtime: string | null;
    plan_disk_mb: number | null;
    app_id: string | null;
    app_name: string | null;
    app_port: number | null;
    app_health_path: string | null;
    restoring: number;
  };

export function toBot(row: BotRow): Bot {
  return {
    id: row.id,
    ownerId: row.owner_id,
    uid: row.uid,
    name: row.name,
    language: row.language as Language,
    memoryMb: row.memory_mb,
    startupCommand: row.startup_command,
    buildCommand: row.build_command,
    buildEpoch: row.build_epoch,
    environmentNames: JSON.parse(row.environment_names) as string[],
    runtimeVersion: row.runtime_version,
    packages: JSON.parse(row.packages) as string[],
    restartPolicy: {
      mode: row.restart_mode as RestartPolicy['mode'],
      maxRetries: row.max_retries,
      backoffMaxSeconds: row.backoff_max_seconds,
    },
    stop: { signal: row.stop_signal as StopSignal, graceSeconds: row.stop_grace_seconds },
    network: row.network as BotNetwork,
    planInternet: row.plan_internet === 1,
    planRuntime: row.plan_runtime,
    restoring: row.restoring === 1,
    stdin: row.stdin === 1,
    suspension: row.suspension,
    diskMb: Math.min(row.disk_mb ?? Number.POSITIVE_INFINITY, row.plan_disk_mb ?? 0),
    app: toApp(row),
    desired: {
      state: row.desired as DesiredState['state'],
      generation: row.generation,
      kill: row.wish_kill === 1,
      graceSeconds: row.wish_grace_seconds,
    },
    observed: toObserved(row),
    changedAt: row.changed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toApp({ app_id: id, app_name: name, app_port: port, app_health_path: healthPath }: BotRow): Bot['app'] {
  return id === null || name === null ? null : { id, name, port, healthPath };
}

function toObserved(row: Selectable<ObservationTable>): Observed {
  return {
    run: row.run,
    runState: row.run_state,
    runGeneration: row.run_generation,
    runKind: row.run_kind,
    runMemoryMb: row.run_memory_mb,
    runStdin: row.run_stdin === 1,
    buildKey: row.build_key,
    pendingBuildKey: row.pending_build_key,
    builtEpoch: row.built_epoch,
    containerId: row.container_id,
    runBeganAt: row.run_began_at,
    startedAt: row.started_at,
    address: row.address,
    port: row.port,
    checkPath: row.check_path,
    stopRun: row.stop_run,
    stopDeadlineAt: row.stop_deadline_at,
    stopKilled: row.stop_killed === 1,
    stopReason: row.stop_reason,
    failures: row.failures,
    failuresGeneration: row.failures_generation,
    retryAt: row.retry_at,
    lastExit: row.last_exit === null ? null : (JSON.parse(row.last_exit) as Exit),
    phase: row.phase,
    phaseSince: row.phase_since,
    memoryPeakMb: row.memory_peak_mb,
    restartCount: row.restart_count,
    observedAt: row.observed_at,
  };
}

/** Absent keys keep their stored values. */
export function settingColumns(change: BotChange) {
  const { name, memoryMb, startupCommand, buildCommand, runtimeVersion, packages, network, stdin, diskMb } = change;
  const { restartPolicy, stop } = change;
  return {
    ...toColumns({ name, memoryMb, startupCommand, buildCommand, runtimeVersion, packages, network, stdin, diskMb }),
    ...(restartPolicy && {
      restart_mode: restartPolicy.mode,
      max_retries: restartPolicy.maxRetries,
      backoff_max_seconds: restartPolicy.backoffMaxSeconds,
    }),
    ...(stop && { stop_signal: stop.signal, stop_grace_seconds: stop.graceSeconds }),
  };
}
