// Turns domain objects into the JSON of the contract: snake_case, ISO times, computed fields. Pure.
import type { BotData, CreatedBotData, ExitData } from '@botel/contract/bots';
import { type Bot, containerName, type Exit } from '../domain/bot.ts';
import { vcpuOf } from '../domain/quota.ts';
import { statusOf, statusReasonOf } from '../domain/status.ts';
import { appUrl } from '../domain/subdomain.ts';
import type { BotView } from '../services/bots.ts';

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** The seven fields of the specification. */
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
  const { bot, now } = view;
  const { observed } = bot;
  const status = statusOf(bot);
  const startedAt = status === 'online' ? observed.startedAt : null;
  return {
    ...presentCreatedBot(bot),
    status_reason: statusReasonOf(bot, view.engineAvailable),
    phase: observed.phase,
    desired_status: bot.wish.desired === 'running' ? 'online' : 'offline',
    generation: bot.wish.generation,
    last_exit: observed.lastExit && presentExit(observed.lastExit),
    next_restart_at: bot.wish.desired === 'running' && status === 'offline' ? isoOrNull(observed.retryAt) : null,
    restart_count: observed.restartCount,
    restarts_24h: view.restarts24h,
    run: observed.run,
    started_at: isoOrNull(startedAt),
    uptime_seconds: startedAt === null ? null : Math.max(0, Math.round((now - startedAt) / 1000)),
    restart_policy: {
      mode: bot.restartPolicy.mode,
      max_retries: bot.restartPolicy.maxRetries,
      backoff_max_seconds: bot.restartPolicy.backoffMaxSeconds,
    },
    stop: { signal: bot.stop.signal, grace_seconds: bot.stop.graceSeconds },
    runtime_version: bot.runtimeVersion,
    build_command: bot.buildCommand,
    environment_keys: bot.environmentNames,
    needs_restart: needsRestart(bot),
    app: view.app && { id: view.app.id, name: view.app.name, url: appUrl(view.app.name, view.appsDomain) },
    suspended: false,
    role: 'owner',
    container: containerName(bot.id),
    created_at: isoTime(bot.createdAt),
    updated_at: isoTime(bot.updatedAt),
    observed_at: isoOrNull(observed.observedAt),
  };
}

export function presentEnvironment(read: { environment: Record<string, string>; view: BotView }) {
  return { environment: read.environment, needs_restart: needsRestart(read.view.bot) };
}

/** Something was changed since the present run began. */
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
    hint: exit.hint ?? null,
    last_lines: exit.lastLines,
    uptime_seconds: Math.round(exit.uptimeSeconds * 1000) / 1000,
    memory_peak_mb: exit.memoryPeakMb,
  };
}
