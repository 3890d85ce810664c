// Converts domain objects to the JSON of the contract: snake_case, ISO times. Pure.
import type { BotData, CreatedBotData, ExitData } from '@botel/contract/bots';
import type { UsageNowData } from '@botel/contract/metrics';
import { type Bot, containerName, type Exit, networkOf } from '../domain/bot.ts';
import { hintSentence } from '../domain/exit-hints.ts';
import { vcpuOf } from '../domain/quota.ts';
import { statusOf, statusReasonOf } from '../domain/status.ts';
import { appUrl } from '../domain/subdomain.ts';
import type { BotView } from '../services/bots.ts';

/** Cache of formatted times: a lookup is faster than formatting again. */
const written = new Map<number, string>();
const maxWritten = 2000;

export function isoTime(ms: number): string {
  let text = written.get(ms);
  if (text === undefined) {
    text = new Date(ms).toISOString();
    if (written.size >= maxWritten) written.clear();
    written.set(ms, text);
  }
  return text;
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** The seven fields that docs/specification.md fixes. */
export function presentCreatedBot(bot: Bot): CreatedBotData {
  return {
    id: bot.id,
    name: bot.name,
    language: bot.language,
    memory: bot.memoryMb,
    vcpu: vcpuOf(bot.memoryMb),
    status: statusOf(bot),
    startup_command: bot.startupCommand,
  };
}

export function presentBot(view: BotView): BotData {
  const { bot } = view;
  const { observed } = bot;
  const status = statusOf(bot);
  const startedAt = onlineSince(bot);
  return {
    ...presentCreatedBot(bot),
    status_reason: statusReasonOf(bot, view.engineAvailable),
    phase: view.phase,
    desired_status: bot.desired.state === 'running' ? 'online' : 'offline',
    generation: bot.desired.generation,
    last_exit: observed.lastExit && presentExit(observed.lastExit),
    next_restart_at: bot.desired.state === 'running' && status === 'offline' ? isoOrNull(observed.retryAt) : null,
    restart_count: observed.restartCount,
    restarts_24h: view.restarts24h,
    run: observed.run,
    started_at: isoOrNull(startedAt),
    uptime_seconds: uptimeSeconds(view),
    restart_policy: {
      mode: bot.restartPolicy.mode,
      max_retries: bot.restartPolicy.maxRetries,
      backoff_max_seconds: bot.restartPolicy.backoffMaxSeconds,
    },
    stop: { signal: bot.stop.signal, grace_seconds: bot.stop.graceSeconds },
    runtime_version: bot.runtimeVersion,
    packages: bot.packages,
    build_command: bot.buildCommand,
    network: networkOf(bot),
    stdin: bot.stdin,
    environment_keys: bot.environmentNames,
    needs_restart: needsRestart(bot),
    usage: view.usage && presentUsage(view),
    disk: {
      used_bytes: view.disk.use?.bytes ?? null,
      limit_bytes: view.disk.limitBytes,
      used_files: view.disk.use?.files ?? null,
      limit_files: view.disk.limitFiles,
    },
    app: bot.app && { id: bot.app.id, name: bot.app.name, url: appUrl(bot.app.name, view.appsUrl) },
    suspended: bot.suspension !== null,
    suspended_reason: bot.suspension,
    role: 'owner',
    container: containerName(bot.id),
    created_at: isoTime(bot.createdAt),
    updated_at: isoTime(bot.updatedAt),
    observed_at: isoOrNull(observed.observedAt),
  };
}

/** Current usage; null when the bot is not running or has no sample yet. */
export function presentUsage(view: BotView): UsageNowData {
  const { bot, usage, disk, now } = view;
  return {
    at: isoTime(usage?.at ?? now),
    cpu_percent: usage?.cpuPercent ?? null,
    memory_mb: usage && inMb(usage.memoryBytes),
    memory_limit_mb: bot.memoryMb,
    memory_peak_mb: usage && usage.memoryPeakBytes !== null ? inMb(usage.memoryPeakBytes) : null,
    disk_used_bytes: disk.use?.bytes ?? null,
    disk_limit_bytes: disk.limitBytes,
    net_rx_bytes: usage?.netRxBytes ?? null,
    net_tx_bytes: usage?.netTxBytes ?? null,
    pids: usage?.pids ?? null,
    uptime_seconds: uptimeSeconds(view),
  };
}

/** Bytes in MB, to one digit. */
export function inMb(bytes: number): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}

function onlineSince(bot: Bot): number | null {
  return statusOf(bot) === 'online' ? bot.observed.startedAt : null;
}

function uptimeSeconds({ bot, now }: BotView): number | null {
  const since = onlineSince(bot);
  return since === null ? null : Math.max(0, Math.round((now - since) / 1000));
}

export function presentEnvironment(read: { environment: Record<string, string>; view: BotView }) {
  return { environment: read.environment, needs_restart: needsRestart(read.view.bot) };
}

/** Whether something changed since the current run began. */
function needsRestart(bot: Bot): boolean {
  return statusOf(bot) === 'online' && (bot.changedAt ?? 0) > (bot.observed.runBeganAt ?? 0);
}

export function presentExit(exit: Exit): ExitData {
  return {
    at: isoTime(exit.at),
    run: exit.run,
    code: exit.code,
    signal: exit.signal,
    oom: exit.oom,
    reason: exit.reason,
    message: exit.message,
    hint: exit.hint ? { ...exit.hint, text: hintSentence(exit.hint) } : null,
    last_lines: exit.lastLines,
    uptime_seconds: Math.round(exit.uptimeSeconds * 1000) / 1000,
    memory_peak_mb: exit.memoryPeakMb,
  };
}
