// Converts the data of admin pages to the JSON of the contract. Pure.
import type {
  BotOfAdminData,
  MachineHealthData,
  OverviewData,
  PasswordCodeData,
  PlanOfAdminData,
  UserOfAdminData,
} from '@botel/contract/admin';
import { statusOf, statusReasonOf } from '../../core/domain/status.ts';
import type { BotOfAdmin, MachineHealth } from '../services/machine.ts';
import type { Overview, Owned } from '../services/overview.ts';
import type { NewCode } from '../services/password-codes.ts';
import type { PlanView, UserView } from '../services/users.ts';
import { botelVersion } from '../../core/config/version.ts';
import { inMb, isoTime } from '../../core/http/present.ts';

export function presentUserOfAdmin({ user, plan, bots, memoryMb }: UserView): UserOfAdminData {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    plan: { id: plan.id, name: plan.name },
    suspended: user.suspended,
    deleting: user.leaving,
    bots,
    memory_mb: memoryMb,
    created_at: isoTime(user.createdAt),
  };
}

export function presentPlan({ plan, users, isFixed }: PlanView): PlanOfAdminData {
  return {
    id: plan.id,
    name: plan.name,
    memory_mb: plan.memoryMb,
    bots: plan.bots,
    disk_mb: plan.diskMb,
    apps: plan.apps,
    upload_limit_mb: plan.uploadMb,
    internet: plan.internet,
    network_mbit: plan.networkMbit,
    fixed: isFixed,
    users,
  };
}

export function presentBotOfAdmin({ bot, ownerEmail, engineAvailable }: BotOfAdmin): BotOfAdminData {
  return {
    id: bot.id,
    name: bot.name,
    owner: { id: bot.ownerId, email: ownerEmail },
    language: bot.language,
    memory: bot.memoryMb,
    status: statusOf(bot),
    status_reason: statusReasonOf(bot, engineAvailable),
    suspended: bot.suspension !== null,
    suspended_reason: bot.suspension,
    created_at: isoTime(bot.createdAt),
  };
}

export function presentHealth(health: MachineHealth): MachineHealthData {
  const { parts, memory, disk, processors, load, bots, uptimeSeconds, oldestWaitSeconds, tasks } = health;
  return {
    checks: parts,
    memory: { total_mb: memory.totalMb, free_mb: memory.freeMb, promised_mb: memory.promisedMb },
    disk: { total_mb: disk.totalMb, free_mb: disk.freeMb },
    processors,
    load,
    bots,
    version: botelVersion,
    uptime_seconds: uptimeSeconds,
    oldest_wait_seconds: oldestWaitSeconds,
    tasks: tasks.map(({ name, periodMs, lastRun, lastError }) => ({
      name,
      period_seconds: periodMs / 1000,
      last_run: lastRun && { started_at: isoTime(lastRun.startedAt), duration_ms: lastRun.durationMs },
      last_error: lastError && { at: isoTime(lastError.at), message: lastError.message },
    })),
  };
}

export function presentCode({ view, code, expiresAt }: NewCode): PasswordCodeData {
  return { user: presentUserOfAdmin(view), code, expires_at: isoTime(expiresAt) };
}

export function presentOverview(overview: Overview): OverviewData {
  const { promisedMb, usedBytes, bots, users, consumers, failed, failures } = overview;
  return {
    memory: { promised_mb: promisedMb, used_mb: inMb(usedBytes) },
    bots,
    users,
    consumers: consumers.map(({ memoryBytes, cpuPercent, ...owned }) => ({
      ...presentOwned(owned),
      memory_mb: inMb(memoryBytes),
      memory_limit_mb: owned.bot.memoryMb,
      cpu_percent: cpuPercent,
    })),
    failures: {
      count: failures,
      bots: failed.map(({ failures: { count, reason, at }, ...owned }) => ({
        ...presentOwned(owned),
        count,
        last_reason: reason,
        last_at: isoTime(at),
      })),
    },
  };
}

function presentOwned({ bot, ownerEmail }: Owned) {
  return { bot_id: bot.id, name: bot.name, owner: { id: bot.ownerId, email: ownerEmail } };
}
